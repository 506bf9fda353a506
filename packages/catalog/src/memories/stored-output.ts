import type { MemoryContext, MemoryInteraction } from '@millrace/core';
import { cutText } from './compressed-text.ts';

/** Characters of an agent's output that a memory holds at most. */
const longest = 20_000;

/** An output as it is remembered: all of it, unless a model was carried away. */
export const storedOutput = (
  { output, whole }: MemoryInteraction,
  { compat }: Pick<MemoryContext, 'compat'>,
): string => (whole || compat ? output : cutText(output, longest, '…'));
