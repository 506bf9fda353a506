import { z } from 'zod';

/** Where a store is kept: workflows that name the same place share it. */
export const SharedStore = z
  .string({ error: 'Write a path as text, or leave it out.' })
  .nullish()
  .describe(
    'Stores of several workflows with the same path are one store; left out or `auto`: a store of this graph alone. Nothing is written to that path, memories are kept in Redis.',
  );

/** The place that an author named; undefined when it is up to us. */
export function sharedStoreOf(...written: readonly (string | null | undefined)[]): string | undefined {
  const named = written.map((path) => path?.trim()).find((path) => path);
  return named === 'auto' ? undefined : named;
}
