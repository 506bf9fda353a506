import type { ForkPreview } from '@millrace/client';
import { formatDollars } from '@millrace/core/budget';
import { tokensOf } from '@millrace/core/usage';

/** Returns the preview of a fork as a text. */
export function previewText({ kept, live, following, inherited, own, after }: ForkPreview): string {
  return [
    `kept, not paid again:   ${countOf(kept)}, ${usageOf(inherited)}`,
    `executed in the fork:   ${live.join(', ')}`,
    `decided again:          all later activations (${following} in this run)`,
    `paid again (estimate):  ${usageOf(own)} of the activation itself, unless --output is given`,
    `                        ${usageOf(after)} of later activations`,
  ].join('\n');
}

const countOf = (activations: number): string => (activations === 1 ? '1 activation' : `${activations} activations`);

function usageOf(usage: ForkPreview['own']): string {
  const { calls, microUsd } = usage;
  if (calls === 0) return 'no model calls';
  const cost = microUsd === undefined ? [] : [formatDollars(microUsd)];
  return [calls === 1 ? '1 call' : `${calls} calls`, `${tokensOf(usage)} tokens`, ...cost].join(', ');
}
