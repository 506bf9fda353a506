import type { MessageBody, RunId, RunLimits, TenantId } from '@millrace/core';
import { messageSize, RequestError } from '@millrace/core';
import { LRUCache } from 'lru-cache';
import type { StoredBytes } from '../ports/store/stored-bytes.ts';
import { isLongBody } from './long-bodies.ts';
import { storageFull } from './run-contents.ts';

/*
 * Short messages are stored with their run and counted afterwards, as counting them before each commit would cost as much as the commit:
 * when a process has stored many of a run, it measures what the run has, and a run that starts finds out if there is room. So a tenant
 * can exceed its room by what its runs in progress store.
 */

/** Characters of short messages of a run that a process stores before it measures them. */
const measuredAfter = 128 * 1024;

/** Counts short messages. */
export interface ShortMessages {
  /** Notes messages of a run that were committed. */
  stored(run: object & { readonly run: RunId }, bodies: readonly { readonly body: MessageBody }[]): void;
  /** Throws RequestError, STORAGE_FULL, if a tenant has no room for another run. */
  assertRoom(tenant: TenantId): Promise<void>;
}

interface ShortMessagesOptions {
  readonly bytes: Pick<StoredBytes, 'measure' | 'total'>;
  readonly limits: Pick<RunLimits, 'storedBytes'>;
  readonly report: (message: string, error: unknown) => void;
}

/** Time for which a tenant that had room is not looked at again, in milliseconds. */
const roomForMs = 5000;
const maxTenants = 10_000;

/** Creates the count of short messages of a process. */
export function createShortMessages({ bytes, limits, report }: ShortMessagesOptions): ShortMessages {
  const unmeasured = new WeakMap<object, number>();
  const withRoom = new LRUCache<TenantId, true>({ max: maxTenants, ttl: roomForMs });
  return {
    stored(run, bodies) {
      if (bodies.length === 0) return;
      let size = unmeasured.get(run) ?? 0;
      for (const { body } of bodies) if (!isLongBody(body)) size += messageSize(body);
      unmeasured.set(run, size < measuredAfter ? size : 0);
      if (size < measuredAfter) return;
      bytes.measure(run.run).catch((error: unknown) => report('the messages of a run could not be counted', error));
    },
    async assertRoom(tenant) {
      if (withRoom.has(tenant)) return;
      const most = limits.storedBytes;
      if ((await bytes.total(tenant)) >= most)
        throw new RequestError('STORAGE_FULL', storageFull(most, 'for more runs'));
      withRoom.set(tenant, true);
    },
  };
}
