import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readArchiveLines } from './run-archive.ts';

it.each([
  ['a line that is no JSON', 'nonsense'],
  ['a line that is no object', '7'],
])('closes the file at %s', async (_what, line) => {
  let isOpen = true;
  const file = {
    name: 'run.jsonl',
    async *open() {
      try {
        yield Buffer.from(`{}\n${line}\n`);
        for (;;) yield Buffer.from('{}\n'.repeat(100_000));
      } finally {
        isOpen = false;
      }
    },
  };
  const reading = async () => {
    for await (const read of readArchiveLines(file)) expect(read).toEqual({});
  };

  await expect(reading()).rejects.toThrow(SyntaxError);
  await turn();
  expect(isOpen).toBe(false);
});

it.each([
  ['lines', '{}\n'.repeat(100)],
  ['a line', '['.repeat(300)],
])('reads no further where a file has %s of more bytes than it may', async (_what, text) => {
  let pieces = 0;
  const file = {
    name: 'run.jsonl',
    async *open() {
      for (;;) {
        pieces += 1;
        yield Buffer.from(text);
      }
    },
  };
  const reading = async () => {
    for await (const read of readArchiveLines(file, 1000)) expect(read).toEqual({});
  };

  await expect(reading()).rejects.toMatchObject({
    code: 'ARCHIVE_UNREADABLE',
    message: expect.stringMatching(/run\.jsonl .* more than 1,000 bytes.*before it is removed/),
  });
  expect(pieces).toBe(4);
});
