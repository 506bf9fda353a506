import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../support/seeded.ts';
import type { SmallDisk } from '../support/small-disk.ts';
import { tellRedis } from '../support/tell-redis.ts';
import type { WorkerProcess } from '../support/worker-process.ts';
import type { Workshop } from '../support/workshop.ts';

/** What goes wrong. */
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
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Something that went wrong. */
export interface Fault {
  readonly kind: FaultKind;
  /** When it began, or for Redis when it was back; milliseconds since 1970. */
  readonly at: number;
  /** Whom it hit. */
  readonly worker?: string;
}

/** A source of trouble. */
export interface Faults {
  readonly happened: readonly Fault[];
  /** What must not have been, in words. */
  readonly broken: readonly string[];
  /** Makes one thing go wrong. */
  strike(): Promise<void>;
  /** Lets the frozen go on, and ends it. */
  end(): Promise<void>;
}

/** What it needs. */
export interface FaultOptions {
  readonly workshop: Workshop;
  /** Where Redis writes; absent where none can be mounted: then it is never full. */
  readonly disk: SmallDisk | undefined;
  /** The workers at work when it begins. */
  readonly crew: readonly WorkerProcess[];
  readonly chance: Chance;
  readonly say: (line: string) => void;
  readonly seconds: number;
}

/** Longer than a job stays with a worker that gives no sign of life. */
const frozenMs = 8000;
const awayMs = 16_000;
/** What a worker is given to end after SIGTERM, and what the end of a process takes on a busy machine. */
export const graceful = { MILLRACE_STOP_GRACE: '4s' };
const endsWithinMs = 8000;

/** How many times of all; `redisAway` comes once, half-way through a storm that is long enough for it. */
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
];

/** Trouble for the workers and the Redis of a workshop. */
export function createFaults({ workshop, disk, crew, chance, say, seconds }: FaultOptions): Faults {
  const awake = new Set(crew);
  const thawing = new Set<Promise<void>>();
  const happened: Fault[] = [];
  const broken: string[] = [];
  const awayAt = seconds > 60 ? Date.now() + seconds * 500 : Number.POSITIVE_INFINITY;

  const victim = (): WorkerProcess | undefined => [...awake][chance.below(awake.size)];
  const strikes: Readonly<Record<FaultKind, () => Promise<void>>> = {
    async workerKilled() {
      const worker = victim();
      if (worker === undefined) return;
      awake.delete(worker);
      await worker.kill();
      note('workerKilled', worker.name);
      awake.add(await workshop.hire(graceful));
    },
    async workerTerminated() {
      const worker = victim();
      if (worker === undefined) return;
      awake.delete(worker);
      note('workerTerminated', worker.name);
      await terminate(worker);
      awake.add(await workshop.hire(graceful));
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
      const thawed = pause(frozenMs).then(() => {
        worker.thaw();
        awake.add(worker);
        thawing.delete(thawed);
      });
      thawing.add(thawed);
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
  };

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
    await pause(500 + chance.below(4000));
    await end();
    note(kind);
  }

  async function withoutRedis(kind: FaultKind, ms: number): Promise<void> {
    await workshop.redis.kill();
    await pause(ms);
    await workshop.redis.restart();
    note(kind);
  }

  function note(kind: FaultKind, worker?: string): void {
    happened.push({ kind, at: Date.now(), ...(worker === undefined ? {} : { worker }) });
  }

  const next = (): FaultKind => {
    const isTimeForTheLongOne = Date.now() > awayAt && !happened.some(({ kind }) => kind === 'redisAway');
    return isTimeForTheLongOne ? 'redisAway' : (weights[chance.below(weights.length)] ?? 'workerKilled');
  };

  return {
    happened,
    broken,
    async strike() {
      const kind = next();
      say(kind);
      await strikes[kind]();
    },
    async end() {
      await Promise.all(thawing);
    },
  };
}

/**
 * Waits until Redis has written its append-only file anew. A write that the full disk has cut short may stand in the old
 * one, and Redis 7.0 would not start with it after a crash.
 */
async function rewritten(url: string): Promise<void> {
  const holds = async (line: string) => String(await tellRedis(url, 'INFO', 'persistence')).includes(line);
  while (!(await holds('aof_last_write_status:ok'))) await pause(50);
  await tellRedis(url, 'BGREWRITEAOF').catch(() => undefined);
  while (!(await holds('aof_rewrite_in_progress:0')) || !(await holds('aof_rewrite_scheduled:0'))) await pause(50);
}

/** How often each kind happened. */
export function countByKind(faults: readonly Fault[]): Readonly<Record<FaultKind, number>> {
  const of = (kind: FaultKind) => faults.filter((fault) => fault.kind === kind).length;
  return {
    workerKilled: of('workerKilled'),
    workerFrozen: of('workerFrozen'),
    redisKilled: of('redisKilled'),
    redisAway: of('redisAway'),
    jobsDeleted: of('jobsDeleted'),
    connectionsCut: of('connectionsCut'),
    workerTerminated: of('workerTerminated'),
    redisReadOnly: of('redisReadOnly'),
    redisFrozen: of('redisFrozen'),
    diskFull: of('diskFull'),
  };
}
