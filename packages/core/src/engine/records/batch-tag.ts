import type { Origin } from './origin.ts';

/** Returns the tag of the runs of the rows of a batch. */
export const batchTag = (batch: string): string => `batch:${batch}`;

/** Returns the tags that a fork or replay of a run takes over: it is no row of the batch, whose runs the tag lists. */
export function inheritedTags({ tags, batch }: Pick<Origin, 'tags' | 'batch'>): readonly string[] | undefined {
  if (tags === undefined || batch === undefined) return tags;
  const others = tags.filter((tag) => tag !== batchTag(batch.batch));
  return others.length === 0 ? undefined : others;
}
