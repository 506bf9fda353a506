import { singleLine } from '@millrace/core';
import { z } from 'zod';

/** Name of a store: workflows that name the same one share it. */
export const SharedStore = z
  .string({ error: 'Write a path as text, or leave it out.' })
  .regex(singleLine)
  .nullish()
  .describe(
    'Stores of several workflows with the same path are one store; if omitted or `auto`, the store belongs to this graph alone. No file is written to that path; memories are stored in Redis.',
  );

/** Returns the store that an author named; undefined if the author left it open. */
export function sharedStoreOf(...written: readonly (string | null | undefined)[]): string | undefined {
  const named = written.map((path) => path?.trim()).find((path) => path);
  return named === 'auto' ? undefined : named;
}
