import { expect, it } from 'vitest';
import { plainProse, proseParts } from './prose.tsx';

it('finds what is between backticks', () => {
  const text = 'Set `budget` of the graph, or `--budget`.';
  expect(proseParts(text)).toEqual([
    { text: 'Set ', isCode: false },
    { text: 'budget', isCode: true },
    { text: ' of the graph, or ', isCode: false },
    { text: '--budget', isCode: true },
    { text: '.', isCode: false },
  ]);
  expect(plainProse(text)).toBe('Set budget of the graph, or --budget.');
});

it.each(['', 'no code', 'one ` alone', 'two `` beside each other', 'of `two\nlines`'])('leaves %j as it is', (text) => {
  expect(plainProse(text)).toBe(text);
  expect(proseParts(text).every(({ isCode }) => !isCode)).toBe(true);
});
