import type { Chance } from '../../support/faults/seeded.ts';
import type { WorkerProcess } from '../../support/processes/worker-process.ts';
import type { Fault, FaultContext, FaultDefinition, StartedRun } from './fault.ts';
import { graceful } from './fault.ts';
import * as definitions from './faults/index.ts';

/** Kind of a fault. */
export type FaultKind = keyof typeof definitions;

/** The faults of a storm. */
export interface Faults {
  readonly happened: readonly Fault[];
  /** Violations that the faults have found, in words. */
  readonly broken: readonly string[];
  /** Runs that the faults have started. */
  readonly started: readonly StartedRun[];
  /** Injects one of them. */
  strike(): Promise<void>;
  /** Waits for the end of all that takes part for a while. */
  end(): Promise<void>;
  /** Replaces no more workers. */
  close(): void;
}

/** Dependencies and settings of the faults. */
export interface FaultOptions extends Pick<FaultContext, 'fleet' | 'processes' | 'hostile' | 'disk' | 'chance'> {
  /** The workers that are active when it begins. */
  readonly workers: readonly WorkerProcess[];
  readonly say: (line: string) => void;
  readonly seconds: number;
}

const kinds = Object.keys(definitions) as readonly FaultKind[]; // all exports are definitions
const definitionOf: Readonly<Record<FaultKind, FaultDefinition>> = definitions;
const once = kinds.filter((kind) => definitionOf[kind].times === 'once');
const rounds = kinds.flatMap((kind) => {
  const { times } = definitionOf[kind];
  return times === 'once' ? [] : Array.from({ length: times }, () => kind);
});

/** Creates the faults for the workers and the Redis of a fleet. */
export function createFaults({ workers, say, seconds, ...parts }: FaultOptions): Faults {
  const { chance, fleet } = parts;
  const awake = new Set<WorkerProcess>();
  let isOver = false;
  const employ = (worker: WorkerProcess): void => {
    awake.add(worker);
    void worker.exited.then(() => (!isOver && awake.delete(worker) ? startWorker() : undefined));
  };
  /** A worker that takes a run which ends its workers may die before it says that it works. */
  const startWorker = async (): Promise<void> => {
    for (;;) {
      try {
        return employ(await fleet.startWorker(graceful));
      } catch (error) {
        if (isOver) throw error;
      }
    }
  };
  for (const worker of workers) employ(worker);
  const happened: Fault[] = [];
  const closing: (() => Promise<void>)[] = [];
  const inBackground: Promise<void>[] = [];
  const context: FaultContext = {
    ...parts,
    awake,
    startWorker,
    started: [],
    broken: [],
    note: (kind, worker) => void happened.push({ kind, at: Date.now(), ...(worker === undefined ? {} : { worker }) }),
    inBackground(work) {
      // `end` fails with it; until then it has a handler.
      work.catch(() => undefined);
      inBackground.push(work);
    },
    atEnd: (work) => void closing.push(work),
  };
  const onceAt = seconds > 60 ? Date.now() + seconds * 500 : Number.POSITIVE_INFINITY;
  const draw = drawFrom(rounds, chance);
  const due = (): FaultKind | undefined =>
    Date.now() > onceAt ? once.find((one) => !happened.some(({ kind }) => kind === one)) : undefined;
  return {
    happened,
    broken: context.broken,
    started: context.started,
    async strike() {
      const kind = due() ?? draw();
      say(kind);
      await definitionOf[kind].inject(context);
    },
    async end() {
      await Promise.all(inBackground);
      for (const work of closing.splice(0)) await work();
    },
    close() {
      isOver = true;
    },
  };
}

/** Gives one after the other by chance, each as often as it is listed before any comes again. */
function drawFrom<T>(all: readonly T[], chance: Chance): () => T {
  const left: T[] = [];
  return () => {
    if (left.length === 0) left.push(...all);
    return left.splice(chance.below(left.length), 1)[0] as T; // one was there
  };
}

/** Returns the number of faults of each kind. */
export const countByKind = (faults: readonly Fault[]): Readonly<Record<FaultKind, number>> =>
  Object.fromEntries(kinds.map((kind) => [kind, faults.filter((fault) => fault.kind === kind).length])) as Record<
    FaultKind,
    number
  >; // all kinds
