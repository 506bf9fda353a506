import { expect, it } from 'vitest';
import { storm } from '../chaos/storm/storm.ts';

it('survives two minutes of faults of all kinds, including long outages of Redis', async () => {
  const lines: string[] = [];
  const report = await storm({ seconds: 120, seed: 11, say: (line) => void lines.push(line) });

  expect(report, lines.join(' ')).toMatchObject({ committedTwice: 0, lost: 0, leftoverKeys: 0, broken: [] });
  expect(report.faults.redisAway).toBe(1);
  expect(report.faults.clockSkewed).toBeGreaterThan(0);
  expect(report.faults.laterVersion).toBeGreaterThan(0);
});
