import type { ActivationId, RunId, TenantId } from '@millrace/core';
import type { Broadcast } from '../ports/broadcast.ts';
import type { RunSummary } from '../ports/store/port.ts';
import { listenAnnounced } from './listen.ts';
import { createWatchers } from './watchers.ts';

/** Interval in which at most one event about the same run, question or order is sent, in milliseconds. */
const intervalMs = 250;
/** Maximum number of events that wait for a slow reader. */
const maxWaiting = 1000;

/** Change of a question; without an activation, all questions of the run are closed. */
export interface TaskChange {
  readonly type: 'task';
  readonly change: 'opened' | 'claimed' | 'released' | 'closed';
  readonly run: RunId;
  readonly activation?: ActivationId;
  /** Place of the call that it is about, and number of the question. */
  readonly place?: number;
  readonly question?: number;
}

/** A change in the lists of a tenant: the new state of a run, or the id of what has changed; or the progress of a copy for a new run. */
export type TenantEvent =
  | { readonly type: 'run'; readonly run: RunSummary }
  | { readonly type: 'removed'; readonly run: RunId }
  | TaskChange
  | { readonly type: 'progress'; readonly run: RunId; readonly done: number; readonly total: number }
  | { readonly type: 'batch'; readonly batch: string }
  | { readonly type: 'bulk'; readonly bulk: string };

/** Events may have been missed: a client that has read lists reads them again. It is the first item of each stream. */
export interface EventGap {
  readonly type: 'gap';
}

/**
 * Events of tenants, for clients that watch at that moment. They are published like live output, not stored, and sent only
 * while a client watches; the latest of several events about one thing replaces the others.
 */
export interface TenantEvents {
  /** Starts to follow who watches. Otherwise the first event of this process may be lost. */
  followWatchers(): void;
  /** Publishes an event, which is made only if it is sent; `topic` is what it is about. */
  publish(tenant: TenantId, topic: string, make: () => TenantEvent): void;
  listen(tenant: TenantId, signal: AbortSignal): AsyncGenerator<TenantEvent | EventGap>;
}

/** Creates the events of tenants over a broadcast. */
export function createTenantEvents(broadcast: Broadcast): TenantEvents {
  const watchers = createWatchers(broadcast);
  const sending = createCoalescer<() => void>(intervalMs, (send) => send());
  return {
    followWatchers: watchers.start,
    publish(tenant, about, make) {
      watchers.start();
      const topic = topicOf(tenant);
      if (!watchers.has(topic)) return;
      sending.put(`${topic} ${about}`, () => broadcast.send(topic, JSON.stringify({ about, event: make() })));
    },
    listen: (tenant, signal) => listen(broadcast, topicOf(tenant), signal),
  };
}

/** No id of a run has a slash. */
const topicOf = (tenant: TenantId): string => `events/${tenant}`;

async function* listen(
  broadcast: Broadcast,
  topic: string,
  signal: AbortSignal,
): AsyncGenerator<TenantEvent | EventGap> {
  if (signal.aborted) return;
  const waiting = new Map<string, TenantEvent | EventGap>();
  let wake = (): void => undefined;
  const enqueue = (about: string, event: TenantEvent | EventGap): void => {
    // Last among those that wait.
    waiting.delete(about);
    waiting.set(about, event);
    if (waiting.size > maxWaiting) {
      waiting.clear();
      waiting.set('gap', { type: 'gap' });
    }
    wake();
  };
  // Several processes may send about the same thing.
  const received = createCoalescer<{ readonly about: string; readonly event: TenantEvent }>(intervalMs, (one) =>
    enqueue(one.about, one.event),
  );
  const subscription = listenAnnounced(broadcast, topic, (message) => {
    // Publishers of the same installation send nothing else.
    const one = JSON.parse(message) as { readonly about: string; readonly event: TenantEvent };
    received.put(one.about, one);
  });
  const onAbort = (): void => wake();
  signal.addEventListener('abort', onAbort);
  void subscription.ready.then(() => enqueue('gap', { type: 'gap' }));
  try {
    while (!signal.aborted) {
      const [next] = waiting;
      if (next === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      waiting.delete(next[0]);
      yield next[1];
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    received.close();
    subscription.stop();
  }
}

/** Passes the latest value of each key on, at most once in an interval. */
interface Coalescer<T> {
  /** Passes a value on at once, or at the end of the interval if another value of the key was passed on within it. */
  put(key: string, value: T): void;
  close(): void;
}

/** Creates a coalescer. Timers do not keep the process alive. */
function createCoalescer<T>(intervalMs: number, pass: (value: T) => void): Coalescer<T> {
  /** Keys of which a value was passed on within the interval; `next` is the latest value since then. */
  const recent = new Map<string, { next?: { readonly value: T } }>();
  const timers = new Set<NodeJS.Timeout>();

  function passOn(key: string, value: T): void {
    const entry: { next?: { readonly value: T } } = {};
    recent.set(key, entry);
    const timer = setTimeout(() => {
      timers.delete(timer);
      recent.delete(key);
      if (entry.next !== undefined) passOn(key, entry.next.value);
    }, intervalMs).unref();
    timers.add(timer);
    pass(value);
  }

  return {
    put(key, value) {
      const entry = recent.get(key);
      if (entry === undefined) passOn(key, value);
      else entry.next = { value };
    },
    close() {
      for (const timer of timers) clearTimeout(timer);
      recent.clear();
    },
  };
}
