import { expect, it } from 'vitest';
import { contentsIn } from './archive-text.ts';

it('names contents by digests alone: another text may be a path', () => {
  const digest = 'a'.repeat(64);
  expect([
    ...contentsIn([{ files: [{ digest }, { digest: '../../secret.txt' }, { digest: 'A'.repeat(64) }] }]),
  ]).toEqual([digest]);
});
