import { expect, it } from 'vitest';
import { scaleMarks } from './timeline-geometry.ts';

const start = 1_000_000;
const textsOf = (from: number, to: number) =>
  scaleMarks({ from: start + from, to: start + to }, start).map(({ text }) => text);

it.each([
  [-20, 1_080, ['0 ms', '200 ms', '400 ms', '600 ms', '800 ms']],
  [0, 3, ['0 ms', '1 ms', '2 ms']],
  [1_005, 1_045, ['1.01 s', '1.02 s', '1.03 s', '1.04 s']],
  [0, 130_000, ['0 ms', '30 s', '1 m', '1 m 30 s']],
  [0, 400 * 86_400_000, ['0 ms', '100 d', '200 d', '300 d']],
])('marks a window from %i to %i ms at round times: %j', (from, to, expected) => {
  expect(textsOf(from, to)).toEqual(expected);
});

it('places a mark where its time is', () => {
  const [first, next] = scaleMarks({ from: start - 100, to: start + 900 }, start);

  expect([first?.at, next?.at]).toEqual([0.1, 0.3]);
});
