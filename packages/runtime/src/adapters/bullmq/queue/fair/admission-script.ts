import type { QueueName, RunId, TenantId, Wake } from '@millrace/core';
import { agendaItemId, defaultQueue, parseAgendaItemId, tenantOf } from '@millrace/core';
import type { Redis } from 'ioredis';
import { readScript, runScript } from '../../../redis/commands/script.ts';
import type { Shard } from '../../../redis/connection/shard.ts';
import { bullName } from '../../../redis/location/keys.ts';

/** Change in the number of slots of a run in a queue. */
export interface SlotChange {
  readonly run: RunId;
  readonly queue: QueueName;
  readonly by: number;
}

/** Changes and wakes of one tenant. */
export interface AdmissionRequest {
  readonly tenant: TenantId;
  readonly changes: readonly SlotChange[];
  /** Wakes that are added to a lane. */
  readonly wakes: readonly Wake[];
}

/** Answer to an {@link AdmissionRequest}. */
export interface AdmissionReply {
  /** The tenant is within its share: its next wakes need not ask. */
  readonly within: boolean;
  /** Wakes of the tenant wait in lanes. */
  readonly waiting: boolean;
  /** Wakes that are admitted. */
  readonly admitted: readonly Wake[];
}

/** Scripts that decide the order of admission, see share.lua and recount.lua. */
export interface AdmissionScript {
  ask(request: AdmissionRequest): Promise<AdmissionReply>;
  /** Returns those of the wakes that do not wait in a lane. */
  unknown(wakes: readonly Wake[]): Promise<readonly Wake[]>;
  /** Returns the tenants that have limits. */
  limited(): Promise<readonly TenantId[]>;
  /**
   * Recounts the slots, unless another process has just done so. Then returns the tenants whose wakes wait in lanes.
   */
  recount(queues: readonly QueueName[]): Promise<readonly TenantId[]>;
}

/** Number of wakes that a tenant may always have in the queues. */
const share = 32;
/** Number of waiting wakes in a queue from which on a tenant is limited to its share. */
const capacity = 32;
/** The same for workers that are so fast that they were idle meanwhile. */
const maxCapacity = 128;
/** Maximum number of wakes that one reply admits. */
const maxAdmitted = 256;
/** Time for which a count of slots is valid, in milliseconds. */
const freshMs = 4000;

/** Keys of BullMQ with the jobs that occupy slots, see recount.lua. */
const jobLists = ['wait', 'active', 'prioritized'];

// The same path from src and from dist: the compiler leaves files that are not its own where they are.
const shareScript = readScript(new URL('../../../../../src/adapters/bullmq/queue/fair/share.lua', import.meta.url));
const recountScript = readScript(new URL('../../../../../src/adapters/bullmq/queue/fair/recount.lua', import.meta.url));

/** Creates the admission script of an installation. */
export function createAdmissionScript({ connection, keys }: Shard): AdmissionScript {
  const { prefix, home, slots, recounted, limited } = keys;
  return {
    async ask({ tenant, changes, wakes }) {
      const args = [
        prefix,
        home,
        tenant,
        share,
        capacity,
        maxCapacity,
        maxAdmitted,
        changes.length,
        ...changes.flatMap(argumentsOf),
        ...wakes.map(agendaItemId),
      ];
      // Type of the script's reply.
      const reply = (await runScript(connection, shareScript, { keys: [slots], args })) as [
        number,
        number,
        ...string[],
      ];
      const [within, waiting, ...ids] = reply;
      return { within: within === 1, waiting: waiting === 1, admitted: ids.flatMap(wakesIn) };
    },
    async unknown(wakes) {
      const tenants = new Set(wakes.map(({ run }) => tenantOf(run)));
      const waiting = await Promise.all([...tenants].map((tenant) => waitingOf(connection, `${home}:share:${tenant}`)));
      const ids = new Set(waiting.flat());
      return wakes.filter((wake) => !ids.has(agendaItemId(wake)));
    },
    limited: () => connection.smembers(limited),
    async recount(queues) {
      // Nothing is queued, counted or waiting.
      const jobs = queues.flatMap((queue) => jobLists.map((list) => `${home}:${bullName(queue)}:${list}`));
      if ((await connection.exists(slots, `${home}:share:tenants`, ...jobs)) === 0) return [];
      const args = [prefix, home, freshMs, ...queues.flatMap((queue) => [nameOf(queue), bullName(queue)])];
      // The script replies with names of tenants.
      return (await runScript(connection, recountScript, { keys: [slots, recounted], args })) as string[];
    },
  };
}

/** Returns all wakes of a tenant that wait in lanes. */
async function waitingOf(connection: Redis, own: string): Promise<readonly string[]> {
  const lanes = await connection.smembers(`${own}:lanes`);
  return (await Promise.all(lanes.map((lane) => connection.zrange(`${own}:lane:${lane}`, '0', '-1')))).flat();
}

const nameOf = (queue: QueueName): string => (queue === defaultQueue ? '' : queue);
const argumentsOf = ({ run, queue, by }: SlotChange): (string | number)[] => [run, nameOf(queue), by];

function wakesIn(id: string): readonly Wake[] {
  const due = parseAgendaItemId(id);
  return due !== undefined && 'activation' in due ? [due] : [];
}
