import { expect, it } from 'vitest';
import { storm } from './storm/storm.ts';

it('loses nothing and repeats nothing when everything fails', async () => {
  const lines: string[] = [];
  const report = await storm({ seconds: 15, seed: 7, say: (line) => void lines.push(line) });

  expect(report, lines.join(' ')).toMatchObject({ committedTwice: 0, lost: 0, leftoverKeys: 0, broken: [] });
  expect(report.runs).toBeGreaterThan(8);
});
