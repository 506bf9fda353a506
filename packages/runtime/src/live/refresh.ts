import type { Broadcast, Subscription } from '../ports/broadcast.ts';

/** Something of the installation that processes keep a copy of; a notice says that it has changed. */
export type RefreshTopic = 'queues' | 'limits' | 'ticks' | 'agenda' | 'models';

/** Options of {@link startRefresh}. */
export interface RefreshOptions {
  readonly of: RefreshTopic;
  /** Carries the notices; absent: there are none. */
  readonly broadcast: Broadcast | undefined;
  readonly read: () => Promise<void>;
  readonly onError: (error: Error) => void;
  /** Interval between two reads, in milliseconds; default: some seconds, because notices may be lost. */
  readonly intervalMs?: number;
}

const everyMs = 5000;
/** Interval where there are no notices, in milliseconds. */
const everyMsWithoutNotices = 500;

/** No id of a run contains a slash, so no run has this topic. */
const topicOf = (of: RefreshTopic): string => `installation/${of}`;

/** Announces to all processes that something has changed. */
export const announceChange = (broadcast: Broadcast | undefined, of: RefreshTopic): void =>
  broadcast?.send(topicOf(of), 'changed');

/** Subscribes to announcements that something has changed. */
export const subscribeToChanges = (
  broadcast: Broadcast | undefined,
  of: RefreshTopic,
  onChange: () => void,
): Subscription | undefined => broadcast?.listen(topicOf(of), onChange);

/** Reads something at once, whenever it is announced to have changed, and at intervals, one read at a time. */
export function startRefresh({ of, broadcast, read, onError, intervalMs }: RefreshOptions): { close(): void } {
  let isClosed = false;
  let isReading = false;
  let hasChanged = false;
  const look = async (): Promise<void> => {
    hasChanged = true;
    // During an outage of Redis there is one request at a time.
    if (isReading) return;
    isReading = true;
    while (hasChanged && !isClosed) {
      hasChanged = false;
      await read().catch((error: unknown) => {
        if (!isClosed) onError(error instanceof Error ? error : new Error(String(error)));
      });
    }
    isReading = false;
  };
  void look();
  const usualMs = broadcast === undefined ? everyMsWithoutNotices : everyMs;
  const timer = setInterval(() => void look(), intervalMs ?? usualMs).unref();
  const subscription = subscribeToChanges(broadcast, of, () => void look());
  // A change before the subscription was not announced to this process.
  void subscription?.ready.then(look);
  return {
    close() {
      isClosed = true;
      clearInterval(timer);
      subscription?.stop();
    },
  };
}
