import { expect, it } from 'vitest';
import { oneLine } from './one-line.ts';

it.each([
  ['## Sundays belong to readers\n\nFrom 4 May on', 'Sundays belong to readers From 4 May on'],
  ['- The library on Mill Street', 'The library on Mill Street'],
  ['It is **open from ten** to four.', 'It is open from ten to four.'],
  ['> quoted', 'quoted'],
  ['a * b ** c', 'a * b ** c'],
  ['#hashtag -1', '#hashtag -1'],
  ['', ''],
])('shows %j as %j', (text, line) => {
  expect(oneLine(text)).toBe(line);
});
