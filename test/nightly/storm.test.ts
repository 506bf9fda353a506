import { expect, it } from 'vitest';
import { storm } from '../chaos/storm.ts';

it('survives a minute in which everything goes wrong, Redis away for long among it', async () => {
  const lines: string[] = [];
  const report = await storm({ seconds: 61, seed: 11, say: (line) => void lines.push(line) });

  expect(report, lines.join(' ')).toMatchObject({ committedTwice: 0, lost: 0, leftoverKeys: 0, broken: [] });
  expect(report.faults.redisAway).toBe(1);
});
