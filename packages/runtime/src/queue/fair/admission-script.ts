import type { QueueName, RunId, TenantId, Wake } from '@millrace/core';
import { agendaItemId, defaultQueue, parseAgendaItemId, tenantOf } from '@millrace/core';
import type { Redis } from 'ioredis';
import { readScript, runScript } from '../../redis/script.ts';
import { bullName, createKeys } from '../../store/keys.ts';

/** By how much the slots of a run in a queue have changed. */
export interface SlotChange {
  readonly run: RunId;
  readonly queue: QueueName;
  readonly by: number;
}

/** Changes and wakes of one tenant. */
export interface AdmissionRequest {
  readonly tenant: TenantId;
  readonly changes: readonly SlotChange[];
  /** Wakes that are to wait for their turn. */
  readonly wakes: readonly Wake[];
}

/** Answer to an {@link AdmissionRequest}. */
export interface AdmissionReply {
  /** The tenant is within its share: its next wakes need not ask. */
  readonly within: boolean;
  /** Wakes of it wait for their turn. */
  readonly waiting: boolean;
  /** Wakes whose turn it is. */
  readonly admitted: readonly Wake[];
}

/** The scripts that say whose turn it is, see share.lua and recount.lua. */
export interface AdmissionScript {
  ask(request: AdmissionRequest): Promise<AdmissionReply>;
  /** Returns those of the wakes that do not wait for their turn. */
  unknown(wakes: readonly Wake[]): Promise<readonly Wake[]>;
  /** The tenants that have limits. */
  limited(): Promise<readonly TenantId[]>;
  /** Counts anew, unless somebody has just done so. Gives the tenants whose wakes wait for their turn then. */
  recount(queues: readonly QueueName[]): Promise<readonly TenantId[]>;
}

/** Wakes that a tenant may always have in the queues. */
const share = 32;
/** Wakes that may wait in a queue before a tenant is held to its share. */
const capacity = 32;
/** The same where workers are so fast that they were idle meanwhile. */
const maxCapacity = 128;
/** Wakes let in by one answer at most. */
const maxAdmitted = 256;
/** For how long a count of slots is good, in milliseconds. */
const freshMs = 5000;

// The same path from src and from dist: the compiler leaves files that are not its own where they are.
const shareScript = readScript(new URL('../../../src/queue/fair/share.lua', import.meta.url));
const recountScript = readScript(new URL('../../../src/queue/fair/recount.lua', import.meta.url));

/** Creates the admission script of an installation. */
export function createAdmissionScript(connection: Redis, prefix: string): AdmissionScript {
  const { home, slots, recounted, limited } = createKeys(prefix);
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
      // The shape of the reply is the script's, which is ours.
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
      const args = [prefix, home, freshMs, ...queues.flatMap((queue) => [nameOf(queue), bullName(queue)])];
      // The script answers with names of tenants.
      return (await runScript(connection, recountScript, { keys: [slots, recounted], args })) as string[];
    },
  };
}

/** All wakes of a tenant that wait for their turn. */
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
