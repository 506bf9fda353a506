import { afterEach, expect, it, vi } from 'vitest';
import { createLocalBroadcast } from '../ports/broadcast.ts';
import { watchTopic } from './live-event.ts';
import { createWatchers } from './watchers.ts';

afterEach(() => vi.useRealTimers());

it('knows a topic for half a minute after its last watcher was heard, and forgets it then', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const broadcast = createLocalBroadcast();
  const watchers = createWatchers(broadcast);
  watchers.start();
  for (let n = 0; n < 1000; n++) broadcast.send(watchTopic, `new run_${n}`);
  expect(watchers.size).toBe(1000);

  vi.advanceTimersByTime(20_000);
  broadcast.send(watchTopic, 'still run_7');
  vi.advanceTimersByTime(20_000);
  expect([watchers.has('run_7'), watchers.has('run_8')]).toEqual([true, false]);

  broadcast.send(watchTopic, 'new run_x');
  expect(watchers.size).toBe(2);
});
