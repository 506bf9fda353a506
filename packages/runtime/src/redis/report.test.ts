import { expect, it, vi } from 'vitest';
import { atMostOnceASecond, withoutBrokenConnections, withoutOutages } from './report.ts';

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

it('omits errors that an outage of Redis explains', () => {
  const said: string[] = [];
  const report = withoutBrokenConnections(withoutOutages((message) => said.push(message)));

  report('read-only', Object.assign(new Error("READONLY You can't write."), { name: 'ReplyError' }));
  report('refused', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
  report('a bug', new Error('some'));

  expect(said).toEqual(['a bug']);
});
