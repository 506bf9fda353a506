import type { AgendaItem, RunId, Wake } from '@millrace/core';
import { agendaItemId, parseAgendaItemId } from '@millrace/core';
import { Queue as BullQueue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Shard } from '../redis/shard.ts';
import { formatsBefore } from '../store/format.ts';
import type { Keys } from '../store/keys.ts';
import { bullName, createKeys, jobId } from '../store/keys.ts';
import { jobOf, takeOverRun } from '../store/redis/take-over-run.ts';

/** Options of the sweep of an agenda. */
export interface AgendaSweepOptions {
  /** These runs stay where they are for now. */
  readonly except: ReadonlySet<RunId>;
  /** Called with each run that cannot be taken over, and stays where it is. */
  readonly failed: (run: RunId, error: unknown) => void;
}

/** Entries looked at in one go. */
const atOnce = 500;
/** Time for which only one process sweeps, in milliseconds. */
const turnMs = 800;

/**
 * Takes over the runs that are on the agenda of earlier formats. A run of which a worker of an earlier build executes
 * an activation stays with it until the activation ends, or its worker does; so do those of `except`. Costs one command
 * while there is nothing to take over.
 */
export async function sweepAgenda(shard: Shard, sweeping: AgendaSweepOptions): Promise<void> {
  const { connection, keys } = shard;
  const agendas = formatsBefore(keys.format).map((format) => createKeys(keys.prefix, format));
  if (agendas.length === 0 || (await connection.exists(...agendas.map(({ agenda }) => agenda))) === 0) return;
  if ((await connection.set(keys.takingOver, '1', 'PX', turnMs, 'NX')) === null) return;
  for (const before of agendas) await sweepOne(shard, before, sweeping);
}

async function sweepOne(shard: Shard, before: Keys, { except, failed }: AgendaSweepOptions): Promise<void> {
  const { connection } = shard;
  // From the end on, so that removed entries do not move the remaining ones.
  for (let from = await connection.zcard(before.agenda); from > 0; from -= atOnce) {
    const members = await connection.zrange(before.agenda, String(Math.max(0, from - atOnce)), String(from - 1));
    const runs = byRun(members.flatMap((member) => parseAgendaItemId(member) ?? []));
    const activeJobs = await runsInHand(connection, before, [...runs.values()].flat());
    const left = [...runs].filter(([run]) => !except.has(run) && !activeJobs.has(run));
    for (const [run, dues] of left) {
      try {
        const outcome = await takeOverRun(shard, run, { onlyIfDue: true });
        if (outcome === 'idle') continue;
        // The entries belong to no run of that format.
        if (outcome === 'none') await connection.zrem(before.agenda, dues.map(agendaItemId));
        await removeJobs(connection, before, dues.filter(isWake));
      } catch (error) {
        failed(run, error);
      }
    }
  }
}

function byRun(dues: readonly AgendaItem[]): ReadonlyMap<RunId, AgendaItem[]> {
  const runs = new Map<RunId, AgendaItem[]>();
  for (const due of dues) {
    const some = runs.get(due.run);
    if (some === undefined) runs.set(due.run, [due]);
    else some.push(due);
  }
  return runs;
}

/** Returns the runs of which a worker executes an activation. */
async function runsInHand(connection: Redis, before: Keys, dues: readonly AgendaItem[]): Promise<ReadonlySet<RunId>> {
  const wakes = dues.filter(isWake);
  if (wakes.length === 0) return new Set();
  const locks = await connection.mget(wakes.map((wake) => `${jobOf(before, wake)}:lock`));
  return new Set(wakes.flatMap(({ run }, at) => (locks[at] === null ? [] : [run])));
}

const isWake = (due: AgendaItem): due is Wake => 'activation' in due;

/** Removes the jobs of wakes that would find no run any more. */
async function removeJobs(connection: Redis, before: Keys, wakes: readonly Wake[]): Promise<void> {
  const names = new Set(wakes.map(({ queue }) => bullName(queue)));
  for (const name of names) {
    const queue = new BullQueue(name, { connection, prefix: before.home, skipMetasUpdate: true });
    for (const wake of wakes) if (bullName(wake.queue) === name) await queue.remove(jobId(before, wake));
    await queue.close();
  }
}
