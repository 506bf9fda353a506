import type { MemoryContext, MemoryInteraction } from '@millrace/core';
import { cutText } from './compressed-text.ts';

/** Maximum number of characters of an agent's output in a memory. */
const maxOutputLength = 20_000;

/** Returns an output as it is stored: all of it up to a limit. */
export const storedOutput = (
  { output, whole }: MemoryInteraction,
  { compat }: Pick<MemoryContext, 'compat'>,
): string => (whole || compat ? output : cutText(output, maxOutputLength, '…'));
