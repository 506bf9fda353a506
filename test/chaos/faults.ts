import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from '../support/seeded.ts';
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
  /** Makes one thing go wrong. */
  strike(): Promise<void>;
  /** Lets the frozen go on, and ends it. */
  end(): Promise<void>;
}

/** What it needs. */
export interface FaultOptions {
  readonly workshop: Workshop;
  /** The workers at work when it begins. */
  readonly crew: readonly WorkerProcess[];
  readonly chance: Chance;
  readonly say: (line: string) => void;
  readonly seconds: number;
}

/** Longer than a job stays with a worker that gives no sign of life. */
const frozenMs = 8000;
const awayMs = 16_000;

/** How many times of all; `redisAway` comes once, half-way through a storm that is long enough for it. */
const weights: readonly FaultKind[] = [
  'workerKilled',
  'workerKilled',
  'workerFrozen',
  'redisKilled',
  'redisKilled',
  'jobsDeleted',
  'connectionsCut',
];

/** Trouble for the workers and the Redis of a workshop. */
export function createFaults({ workshop, crew, chance, say, seconds }: FaultOptions): Faults {
  const awake = new Set(crew);
  const thawing = new Set<Promise<void>>();
  const happened: Fault[] = [];
  const awayAt = seconds > 60 ? Date.now() + seconds * 500 : Number.POSITIVE_INFINITY;

  const victim = (): WorkerProcess | undefined => [...awake][chance.below(awake.size)];
  const strikes: Readonly<Record<FaultKind, () => Promise<void>>> = {
    async workerKilled() {
      const worker = victim();
      if (worker === undefined) return;
      awake.delete(worker);
      await worker.kill();
      note('workerKilled', worker.name);
      awake.add(await workshop.hire());
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
  };
}
