import type { RunId } from '@millrace/core';
import type { Broadcast } from '../ports/broadcast.ts';
import type { LiveEvent } from './live-event.ts';
import { watchTopic } from './live-event.ts';

/** Maximum number of live events that wait for a slow reader; the oldest are dropped. */
const maxWaiting = 1000;

/** Yields the live events of a run, each character once: repeated text is left out. */
export async function* listen(broadcast: Broadcast, run: RunId, signal: AbortSignal): AsyncGenerator<LiveEvent> {
  if (signal.aborted) return;
  const waiting: LiveEvent[] = [];
  let wake = (): void => undefined;
  const onAbort = (): void => wake();
  const news = createDeduplicator();
  const subscription = listenAnnounced(broadcast, run, (message) => {
    // Publishers of the same installation send live events only.
    const event = news(JSON.parse(message) as LiveEvent);
    if (event === undefined) return;
    enqueue(waiting, event);
    wake();
  });
  signal.addEventListener('abort', onAbort);
  try {
    while (!signal.aborted) {
      const event = waiting.shift();
      if (event !== undefined) yield event;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    subscription.stop();
  }
}

/** Returns the part of a live event that is new; undefined when nothing is. */
function createDeduplicator(): (event: LiveEvent) => LiveEvent | undefined {
  const received = new Map<string, number>();
  return (event) => {
    const known = received.get(event.attempt);
    const end = event.from + event.text.length;
    if (event.ended) received.delete(event.attempt);
    else received.set(event.attempt, Math.max(end, known ?? 0));
    if (known === undefined || event.from >= known) {
      return known !== undefined && event.text === '' && !event.ended ? undefined : event;
    }
    if (end <= known && !event.ended) return undefined;
    return { ...event, from: Math.min(known, end), text: event.text.slice(known - event.from) };
  };
}

/** Appends a piece to the previous one if it continues it, so that a slow reader has few events to read. */
function enqueue(waiting: LiveEvent[], event: LiveEvent): void {
  const last = waiting.at(-1);
  if (last?.attempt === event.attempt && last.from + last.text.length === event.from) {
    waiting[waiting.length - 1] = { ...event, from: last.from, text: last.text + event.text };
    return;
  }
  waiting.push(event);
  if (waiting.length > maxWaiting) waiting.shift();
}

/** Interval at which a watcher announces itself, in milliseconds. */
const heartbeatMs = 10_000;

/** Listens to a topic, and announces that to publishers until it is stopped. */
export function listenAnnounced(
  broadcast: Broadcast,
  topic: string,
  onMessage: (message: string) => void,
): { readonly ready: Promise<void>; stop(): void } {
  const subscriptions = [
    broadcast.listen(topic, onMessage),
    broadcast.listen(watchTopic, (message) => {
      if (message === 'who?') broadcast.send(watchTopic, `new ${topic}`);
    }),
  ];
  const still = setInterval(() => broadcast.send(watchTopic, `still ${topic}`), heartbeatMs).unref();
  const ready = Promise.all(subscriptions.map((subscription) => subscription.ready)).then(() =>
    broadcast.send(watchTopic, `new ${topic}`),
  );
  return {
    ready,
    stop() {
      clearInterval(still);
      for (const subscription of subscriptions) subscription.stop();
    },
  };
}
