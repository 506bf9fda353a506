import { expect, it } from 'vitest';
import { createLocalBroadcast } from '../ports/broadcast.ts';
import { listenAnnounced } from './listen.ts';
import { watchTopic } from './live-event.ts';

it('announces each topic of a process once to a publisher that starts, as long as somebody listens to it', async () => {
  const broadcast = createLocalBroadcast();
  const watch = (topic: string) => listenAnnounced(broadcast, topic, () => undefined);
  const subscriptions = [watch('run_a'), watch('run_a'), watch('run_b')];
  await Promise.all(subscriptions.map(({ ready }) => ready));
  const [first, second, third] = subscriptions;
  const heard: string[] = [];
  broadcast.listen(watchTopic, (message) => void heard.push(message));
  const answers = () => {
    heard.length = 0;
    broadcast.send(watchTopic, 'who?');
    return heard.filter((message) => message !== 'who?');
  };

  expect(answers()).toEqual(['new run_a', 'new run_b']);
  first?.stop();
  first?.stop();
  expect(answers()).toEqual(['new run_a', 'new run_b']);
  second?.stop();
  expect(answers()).toEqual(['new run_b']);
  third?.stop();
  expect(answers()).toEqual([]);
  watch('run_c');
  expect(answers()).toEqual(['new run_c']);
});
