import { maxMessageChars } from '@millrace/core';
import { expect, it } from 'vitest';
import { createRowReader } from './parsed-row.ts';

it('refuses a row whose input is longer than a message may be', () => {
  const read = createRowReader();

  expect(read({ input: 'x'.repeat(maxMessageChars) }).type).toBe('work');
  expect(read({ input: 'x'.repeat(maxMessageChars + 1) })).toEqual({
    type: 'problem',
    problem: 'Its input has more than 16,777,216 characters.',
  });
});
