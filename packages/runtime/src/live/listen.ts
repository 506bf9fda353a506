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

/** Interval at which watchers announce themselves, in milliseconds. */
const heartbeatMs = 10_000;

/** Listens to a topic, and announces that to publishers until it is stopped. */
export function listenAnnounced(
  broadcast: Broadcast,
  topic: string,
  onMessage: (message: string) => void,
): { readonly ready: Promise<void>; stop(): void } {
  const subscription = broadcast.listen(topic, onMessage);
  const announcer = announcers.get(broadcast) ?? createAnnouncer(broadcast);
  const announced = announcer.begin(topic);
  const ready = Promise.all([subscription.ready, announced]).then(() => broadcast.send(watchTopic, `new ${topic}`));
  let isStopped = false;
  return {
    ready,
    stop() {
      subscription.stop();
      if (!isStopped) announcer.end(topic);
      isStopped = true;
    },
  };
}

/** Announces the topics of all watchers of this process, each once: thousands of streams would hear each other. */
interface Announcer {
  /** Resolves when publishers that start are answered. */
  begin(topic: string): Promise<void>;
  end(topic: string): void;
}

const announcers = new WeakMap<Broadcast, Announcer>();

function createAnnouncer(broadcast: Broadcast): Announcer {
  const watchers = new Map<string, number>();
  const announce = (word: 'new' | 'still') => {
    for (const topic of watchers.keys()) broadcast.send(watchTopic, `${word} ${topic}`);
  };
  const subscription = broadcast.listen(watchTopic, (message) => {
    if (message === 'who?') announce('new');
  });
  const still = setInterval(() => announce('still'), heartbeatMs).unref();
  const announcer: Announcer = {
    begin(topic) {
      watchers.set(topic, (watchers.get(topic) ?? 0) + 1);
      return subscription.ready;
    },
    end(topic) {
      const left = (watchers.get(topic) ?? 0) - 1;
      if (left > 0) watchers.set(topic, left);
      else watchers.delete(topic);
      if (watchers.size > 0) return;
      clearInterval(still);
      subscription.stop();
      announcers.delete(broadcast);
    },
  };
  announcers.set(broadcast, announcer);
  return announcer;
}
