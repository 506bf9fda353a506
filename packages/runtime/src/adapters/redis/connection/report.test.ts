import { expect, it, vi } from 'vitest';
import { unreachable } from '../outages/outage.ts';
import { atMostOnceASecond, withoutBrokenConnections, withoutLostJobs, withoutOutages } from './report.ts';

it('reports an error at most once a second, with the number of its occurrences', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const said: string[] = [];
  const report = atMostOnceASecond((message) => said.push(message));

  for (let round = 0; round < 11; round++) {
    report('trouble in the queue', new Error('some'));
    vi.advanceTimersByTime(100);
  }
  vi.useRealTimers();

  expect(said).toEqual(['trouble in the queue', 'trouble in the queue (9 more before)']);
});

it('remembers a limited number of messages', () => {
  const said: string[] = [];
  const report = atMostOnceASecond((message) => said.push(message));

  for (let run = 0; run <= 1000; run++) report(`trouble in run ${run}`, new Error('some'));
  const before = said.length;
  for (const run of [0, 1000]) report(`trouble in run ${run}`, new Error('some'));

  expect(said.slice(before)).toEqual(['trouble in run 0']);
});

it('omits errors that an outage of Redis explains', () => {
  const said: string[] = [];
  const report = withoutBrokenConnections(withoutOutages((message) => said.push(message)));

  report('read-only', Object.assign(new Error("READONLY You can't write."), { name: 'ReplyError' }));
  report('refused', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
  report('a bug', new Error('some'));

  expect(said).toEqual(['a bug']);
});

it('omits jobs whose locks have expired during an outage, and no others', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const said: string[] = [];
  const { report, note } = withoutLostJobs((message) => said.push(message));
  const lose = (when: string) => {
    report(`lock ${when}`, new Error('could not renew lock for job run_1.a1.t'));
    report(`key ${when}`, new Error('Missing key for job run_1.a1.t. moveToFinished'));
  };

  lose('before');
  note({ outage: unreachable });
  vi.advanceTimersByTime(60_000);
  lose('during');
  report('bug during', new Error('some'));
  note({ overAfterMs: 60_000 });
  vi.advanceTimersByTime(9000);
  lose('soon after');
  vi.advanceTimersByTime(2000);
  lose('later');
  vi.useRealTimers();

  expect(said).toEqual(['lock before', 'key before', 'bug during', 'lock later', 'key later']);
});
