import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const folder = new URL('../../', import.meta.url);
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' });

it('is the terminal or the log that writes to stdout and stderr, where control characters are escaped', () => {
  const writers = sources.filter((path) => {
    if (!path.endsWith('.ts') || path.endsWith('.test.ts')) return false;
    const text = readFileSync(new URL(path, folder), 'utf8');
    return /\bstd(out|err)\.write|output: (process\.)?std|\bconsole\.|pino\.destination|\bfd: [12]\b/.test(text);
  });

  expect(writers.sort()).toEqual(['output/log.ts', 'output/terminal/terminal.ts']);
});
