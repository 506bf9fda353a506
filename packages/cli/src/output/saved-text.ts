import { formatDollars } from '@millrace/core/budget';

/** Returns what caches of prompts have saved, or cost in addition, as a list of one text; an empty one if nothing is known. */
export function savedText({ savedMicroUsd = 0 }: { readonly savedMicroUsd?: number | undefined }): readonly string[] {
  if (savedMicroUsd === 0) return [];
  const amount = formatDollars(Math.abs(savedMicroUsd));
  return [savedMicroUsd > 0 ? `${amount} saved by caches` : `${amount} more for writing to caches`];
}
