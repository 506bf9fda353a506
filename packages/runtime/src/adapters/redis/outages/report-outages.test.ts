import { expect, it, vi } from 'vitest';
import { unreachable } from './outage.ts';
import { reportOutages } from './report-outages.ts';

it('reports the begin of an outage at most once a second, and its end only after its begin', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const said: string[] = [];
  const tell = reportOutages((line) => said.push(line));

  for (let round = 0; round < 50; round++) {
    tell({ outage: unreachable });
    tell({ overAfterMs: 50 });
    vi.advanceTimersByTime(100);
  }
  vi.useRealTimers();

  expect(said.filter((line) => line.includes('REDIS_UNREACHABLE'))).toHaveLength(5);
  expect(said.filter((line) => line.includes('is back after 0.1 s'))).toHaveLength(5);
});
