import { agendaItemId, parseAgendaItemId } from '@millrace/core';
import type { Redis } from 'ioredis';
import type { Broadcast } from '../../../ports/broadcast.ts';
import type { Store } from '../../../ports/store/port.ts';
import type { StoreClock } from '../../../ports/store/store-clock.ts';
import { portions } from '../commands/read-fields.ts';
import type { Keys } from '../location/keys.ts';
import { AgendaWatch, createAnnouncer } from './agenda-watch.ts';

/** Options of {@link createRedisAgenda}. */
export interface RedisAgendaOptions {
  readonly connection: Redis;
  readonly keys: Keys;
  readonly clock: StoreClock;
  /** Carries announcements; absent: no process waits for an entry, and none is announced. */
  readonly broadcast: Broadcast | undefined;
}

/** The agenda in Redis. */
export interface RedisAgenda {
  readonly access: Pick<Store, 'untilDue' | 'overdue' | 'agenda' | 'onAgenda' | 'repairAgenda'>;
  /** Announces entries that were added, if one of them is due soon. */
  announce(added: readonly { readonly at: number }[]): void;
  close(): void;
}

/** Creates the agenda of an installation. */
export function createRedisAgenda({ connection, keys, clock, broadcast }: RedisAgendaOptions): RedisAgenda {
  const watch = broadcast === undefined ? undefined : new AgendaWatch({ connection, keys, clock, broadcast });
  const announce = createAnnouncer(broadcast, clock);
  return {
    announce,
    close: () => watch?.close(),
    access: {
      untilDue: async (signal) => watch === undefined || watch.untilDue(signal),
      overdue: createOverdue(connection, keys),
      async agenda() {
        const members = await connection.zrange(keys.agenda, '0', '-1');
        return members.flatMap((member) => parseAgendaItemId(member) ?? []);
      },
      async onAgenda(items) {
        const reads = [...portions(items)].map((some) => connection.zmscore(keys.agenda, ...some.map(agendaItemId)));
        const scores = (await Promise.all(reads)).flat();
        return items.filter((_, at) => scores[at] != null);
      },
      async repairAgenda({ missing, needless }) {
        for (const some of portions(missing))
          await connection.zadd(keys.agenda, ...some.flatMap((due) => [0, agendaItemId(due)]));
        announce(missing.map(() => ({ at: 0 })));
        for (const some of portions(needless)) await connection.zrem(keys.agenda, ...some.map(agendaItemId));
      },
    },
  };
}

/**
 * Two processes may both take a wake that is overdue, which is harmless: a wake is idempotent. One that is settled in
 * between stays settled (XX), and a later time set in between stays (GT).
 */
function createOverdue(connection: Redis, { agenda }: Keys): Store['overdue'] {
  return async (now, until, limit) => {
    const members = await connection.zrangebyscore(agenda, '-inf', now, 'LIMIT', 0, limit);
    if (members.length > 0) {
      await connection.zadd(agenda, 'XX', 'GT', ...members.flatMap((member) => [until, member]));
    }
    return members.flatMap((member) => parseAgendaItemId(member) ?? []);
  };
}
