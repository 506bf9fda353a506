import { setTimeout as sleep } from 'node:timers/promises';
import type { RunId } from '@millrace/core';
import type { Chance } from '../../support/faults/seeded.ts';
import { skewedBy } from '../../support/faults/skewed.ts';
import type { SmallDisk } from '../../support/faults/small-disk.ts';
import type { WorkerProcess } from '../../support/processes/worker-process.ts';
import { tellRedis } from '../../support/redis/tell-redis.ts';
import type { Scenario } from '../../support/runs/scenario.ts';
import { scenarios } from '../../support/runs/scenarios.ts';
import type { Workshop } from '../../support/runs/workshop.ts';
import type { HostileRuns } from './hostile-runs.ts';
import type { OtherBuilds } from './other-builds.ts';
import type { Difference, TemporaryProcesses } from './temporary-processes.ts';

/** Kinds of faults. */
export const faultKinds = [
  'workerKilled',
  'workerFrozen',
  'redisKilled',
  'redisAway',
  'jobsDeleted',
  'connectionsCut',
  'workerTerminated',
  'redisReadOnly',
  'redisFrozen',
  'diskFull',
  'clockSkewed',
  'earlierVersion',
  'laterVersion',
  'templateTrap',
  'poisonRun',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Something that went wrong. */
export interface Fault {
  readonly kind: FaultKind;
  /** Time at which the fault began, or for Redis at which it was back; milliseconds since 1970. */
  readonly at: number;
  /** Worker that it hit. */
  readonly worker?: string;
}

/** A source of trouble. */
export interface Faults {
  readonly happened: readonly Fault[];
  /** Violations that the faults have found, in words. */
  readonly broken: readonly string[];
  /** Runs that were started through servers with a wrong clock or of another version. */
  readonly started: readonly StartedRun[];
  /** Makes one thing go wrong. */
  strike(): Promise<void>;
  /** Lets the frozen continue, and waits for the end of all that takes part for a while. */
  end(): Promise<void>;
  /** Replaces no more workers. */
  close(): void;
}

/** A run that is under way. */
export interface StartedRun {
  readonly run: RunId;
  readonly scenario: Scenario;
}

/** Dependencies and settings of the faults. */
export interface FaultOptions {
  readonly workshop: Workshop;
  readonly processes: TemporaryProcesses;
  readonly builds: OtherBuilds;
  readonly hostile: HostileRuns;
  /** Disk that Redis writes to; absent where none can be mounted: then it is never full. */
  readonly disk: SmallDisk | undefined;
  /** The workers that are active when it begins. */
  readonly workers: readonly WorkerProcess[];
  readonly chance: Chance;
  readonly say: (line: string) => void;
  readonly seconds: number;
}

/** Longer than a job stays with a worker that gives no sign of life. */
const frozenMs = 8000;
const awayMs = 16_000;
const minuteMs = 60_000;
const skewsMs = [-60 * minuteMs, -10 * minuteMs, 10 * minuteMs, 60 * minuteMs];
/** Grace period of a worker after SIGTERM, and the time in which a process must end on a busy machine. */
export const graceful = { MILLRACE_STOP_GRACE: '4s' };
const endsWithinMs = 8000;

/**
 * Number of times that each kind comes before any comes again; `redisAway` and `poisonRun` come once, half-way through a storm that is
 * long enough for them.
 */
const weights: readonly FaultKind[] = [
  'workerKilled',
  'workerKilled',
  'workerFrozen',
  'redisKilled',
  'redisKilled',
  'jobsDeleted',
  'connectionsCut',
  'workerTerminated',
  'workerTerminated',
  'redisReadOnly',
  'redisFrozen',
  'diskFull',
  'clockSkewed',
  'earlierVersion',
  'laterVersion',
  'templateTrap',
];

/** Kinds that come once. */
const long: readonly FaultKind[] = ['poisonRun', 'redisAway'];

/** Trouble for the workers and the Redis of a workshop. */
export function createFaults(options: FaultOptions): Faults {
  const { workshop, processes, builds, hostile, disk, workers, chance, say, seconds } = options;
  const awake = new Set<WorkerProcess>();
  const goingOn = new Set<Promise<void>>();
  const started: StartedRun[] = [];
  const happened: Fault[] = [];
  const broken: string[] = [];
  let isOver = false;
  const longAt = seconds > 60 ? Date.now() + seconds * 500 : Number.POSITIVE_INFINITY;

  const victim = (): WorkerProcess | undefined => [...awake][chance.below(awake.size)];
  const strikes: Readonly<Record<FaultKind, () => Promise<void>>> = {
    async workerKilled() {
      const worker = victim();
      if (worker === undefined) return;
      awake.delete(worker);
      await worker.kill();
      note('workerKilled', worker.name);
      employ(await hire());
    },
    async workerTerminated() {
      const worker = victim();
      if (worker === undefined) return;
      awake.delete(worker);
      note('workerTerminated', worker.name);
      await terminate(worker);
      employ(await hire());
    },
    redisReadOnly: () =>
      during(
        'redisReadOnly',
        // There is no master at that port.
        () => tellRedis(workshop.redis.url, 'REPLICAOF', '127.0.0.1', 1),
        () => tellRedis(workshop.redis.url, 'REPLICAOF', 'NO', 'ONE'),
      ),
    redisFrozen: () => during('redisFrozen', workshop.redis.freeze, workshop.redis.thaw),
    async diskFull() {
      if (disk === undefined) return;
      await during(
        'diskFull',
        async () => disk.fill(),
        async () => {
          disk.free();
          await rewritten(workshop.redis.url);
        },
      );
    },
    async workerFrozen() {
      const worker = victim();
      if (worker === undefined || awake.size === 1) return;
      awake.delete(worker);
      worker.freeze();
      note('workerFrozen', worker.name);
      const thawed = sleep(frozenMs).then(() => {
        worker.thaw();
        employ(worker);
        goingOn.delete(thawed);
      });
      goingOn.add(thawed);
    },
    redisKilled: () => withoutRedis('redisKilled', chance.below(1500)),
    redisAway: () => withoutRedis('redisAway', awayMs),
    async jobsDeleted() {
      note('jobsDeleted');
      await workshop.wipeQueue();
    },
    async connectionsCut() {
      note('connectionsCut');
      workshop.proxy.cut();
    },
    clockSkewed: () => joinForAWhile('clockSkewed', { env: skewedBy(oneOf(skewsMs, chance)) }),
    async earlierVersion() {
      if (builds.earlier !== undefined) await joinForAWhile('earlierVersion', { build: builds.earlier });
    },
    async templateTrap() {
      await hostile.startTrap();
      note('templateTrap');
    },
    async poisonRun() {
      await hostile.startPoison();
      note('poisonRun');
    },
    async laterVersion() {
      if (builds.later !== undefined) await joinForAWhile('laterVersion', { build: builds.later });
    },
  };

  /** Starts a worker; one that takes a run which ends its workers may die before it says that it works. */
  async function hire(): Promise<WorkerProcess> {
    for (;;) {
      try {
        return await workshop.hire(graceful);
      } catch (error) {
        if (isOver) throw error;
      }
    }
  }

  /** A worker that dies by itself, over a run that ends its workers, is replaced. */
  function employ(worker: WorkerProcess): void {
    awake.add(worker);
    void worker.exited.then(async () => {
      if (isOver || !awake.delete(worker)) return;
      employ(await hire());
    });
  }

  /** A server and a worker join, start a run, and are killed some seconds later, in the middle of all else. */
  async function joinForAWhile(kind: FaultKind, difference: Difference): Promise<void> {
    const scenario = oneOf(scenarios, chance);
    const stayMs = 2000 + chance.below(4000);
    const pair = await processes.join(difference);
    const run = `${kind}-${started.length}`;
    await pair.start(run, scenario);
    started.push({ run, scenario });
    const left = sleep(stayMs)
      .then(pair.kill)
      .then(() => {
        note(kind);
        goingOn.delete(left);
      });
    goingOn.add(left);
  }

  /** In half of the cases Redis goes at the same moment, and is back before the worker has ended, or after. */
  async function terminate(worker: WorkerProcess): Promise<void> {
    const isAlone = chance.below(2) === 0;
    const since = Date.now();
    const away = isAlone ? undefined : withoutRedis('redisKilled', chance.below(6000));
    const code = await worker.terminate();
    const tookMs = Date.now() - since;
    if (code !== 0 || tookMs > endsWithinMs) broken.push(`${worker.name} ended with ${code} after ${tookMs} ms`);
    await away;
  }

  async function during(kind: FaultKind, begin: () => Promise<unknown>, end: () => Promise<unknown>): Promise<void> {
    await begin();
    await sleep(500 + chance.below(4000));
    await end();
    note(kind);
  }

  async function withoutRedis(kind: FaultKind, ms: number): Promise<void> {
    await workshop.redis.kill();
    await sleep(ms);
    await workshop.redis.restart();
    note(kind);
  }

  function note(kind: FaultKind, worker?: string): void {
    happened.push({ kind, at: Date.now(), ...(worker === undefined ? {} : { worker }) });
  }

  const next = (): FaultKind => {
    const missing = long.find((one) => !happened.some(({ kind }) => kind === one));
    return Date.now() > longAt && missing !== undefined ? missing : draw();
  };
  const draw = drawFrom(weights, chance);
  for (const worker of workers) employ(worker);

  return {
    happened,
    broken,
    started,
    async strike() {
      const kind = next();
      say(kind);
      await strikes[kind]();
    },
    async end() {
      await Promise.all(goingOn);
    },
    close() {
      isOver = true;
    },
  };
}

/**
 * Waits until Redis has rewritten its append-only file. A write that the full disk has cut short may be in the old
 * one, and Redis 7.0 would not start with it after a crash.
 */
async function rewritten(url: string): Promise<void> {
  const holds = async (line: string) => String(await tellRedis(url, 'INFO', 'persistence')).includes(line);
  while (!(await holds('aof_last_write_status:ok'))) await sleep(50);
  await tellRedis(url, 'BGREWRITEAOF').catch(() => undefined);
  while (!(await holds('aof_rewrite_in_progress:0')) || !(await holds('aof_rewrite_scheduled:0'))) await sleep(50);
}

/** Gives one after the other by chance, each as often as it is listed before any comes again. */
function drawFrom<T>(all: readonly T[], chance: Chance): () => T {
  const left: T[] = [];
  return () => {
    if (left.length === 0) left.push(...all);
    return left.splice(chance.below(left.length), 1)[0] as T; // one was there
  };
}

const oneOf = <T>(all: readonly T[], chance: Chance): T => all[chance.below(all.length)] as T; // no list is empty

/** Returns the number of faults of each kind. */
export function countByKind(faults: readonly Fault[]): Readonly<Record<FaultKind, number>> {
  const counts = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<FaultKind, number>; // all kinds
  for (const { kind } of faults) counts[kind]++;
  return counts;
}
