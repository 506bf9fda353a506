import type { InFlight, RunId, RunStatus, StateView, Vocabulary, Wake } from '@millrace/core';
import { textMessage, wakeId } from '@millrace/core';
import type { Processor, Queue, RunDescription, Runs, Store } from '@millrace/runtime';
import { createLocalRates, createMemoryBlobs, createMemoryStore, createRuns, realClock } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { audit } from '../runs/audit.ts';
import type { Scenario } from '../runs/scenario.ts';
import { answerTo, workflowOf } from '../runs/scenario.ts';
import type { Chance } from './seeded.ts';

/*
 * Several processes on one store, inside one. Whatever a process asks of the store waits, once before it is done and
 * once before the answer arrives, until the scheduler lets it pass; what passes next, which wake is delivered to whom,
 * delivered twice or lost, which process dies and when the clock moves is chance. So the same seed gives the same
 * history, and every order in which things can happen is as likely as any other.
 */

/** Frequencies of faults: each happens once in this number of turns of the scheduler; 0: never. */
export interface Roughness {
  readonly kill: number;
  readonly loseWake: number;
  readonly repeatWake: number;
  /** A call of the store fails, before or after it has done what it was asked. */
  readonly fail: number;
  /** A person pauses, stops or resumes the run. */
  readonly meddle: number;
}

/** A store and the processes that use it. */
export interface Simulation {
  readonly store: Store;
  /** Runs a scenario and returns the description of the run; rejects when the run does not end. */
  play(scenario: Scenario): Promise<RunDescription>;
}

interface Process {
  readonly name: string;
  readonly runs: Runs;
  readonly gates: Gate[];
  processor: Processor | undefined;
}

interface Gate {
  readonly pass: () => void;
  readonly fail: (error: Error) => void;
}

/** Turns of the scheduler after which a run that has not ended is stuck. */
const patience = 100_000;
const graceMs = 8000;
const processCount = 3;
const run: RunId = 'run_simulated';

/** Options of a simulation. */
export interface SimulationOptions {
  readonly roughness: Roughness;
  /** Moves the timers of this process, too. */
  readonly moveClock: (ms: number) => Promise<void>;
  /** Shown what is stored of the run after every turn; throws when that is wrong. */
  readonly look?: (state: StateView) => void;
}

/** Prepares the processes. */
export function createSimulation(
  vocabulary: Vocabulary,
  chance: Chance,
  { roughness, moveClock, look: shown }: SimulationOptions,
): Simulation {
  let now = 1_700_000_000_000;
  const store = createMemoryStore({ clock: { ...realClock, now: () => now }, graceMs });
  const blobs = createMemoryBlobs();
  const queued = new Map<string, Wake>();
  let processes: Process[] = [];
  let born = 0;

  function startProcess(): Process {
    const gates: Gate[] = [];
    const pass = () => new Promise<void>((resolve, fail) => void gates.push({ pass: resolve, fail }));
    const queue = queueOf(queued, (processor) => {
      process.processor = processor;
    });
    const runs = createRuns({
      rates: createLocalRates(store.now),
      blobs,
      store: gated(store, pass),
      queue,
      vocabulary,
      report: () => undefined,
    });
    const process: Process = { name: `p${born++}`, runs, gates, processor: undefined };
    const log = pino({ level: 'silent' });
    startWorker({ runtime: { runs, queue }, vocabulary, concurrency: 1, name: process.name, log });
    return process;
  }

  const one = <T>(from: readonly T[]): T | undefined => from[chance.below(from.length)];
  const happens = (times: number) => times > 0 && chance.oneIn(times);

  function kill(target: Process): void {
    processes = processes.map((each) => (each === target ? startProcess() : each));
  }

  function deliver(): void {
    const [id, wake] = one([...queued]) ?? [];
    const receiver = one(processes);
    if (id === undefined || wake === undefined || receiver?.processor === undefined) return;
    if (!happens(roughness.repeatWake)) queued.delete(id);
    if (happens(roughness.loseWake)) return;
    // A process whose store fails drops its work; the agenda has it.
    receiver.processor(wake, new AbortController().signal, 0).catch(() => undefined);
  }

  async function look(ms: number): Promise<void> {
    now += ms;
    await moveClock(ms);
    for (const due of await store.overdue(now, now + graceMs, 1000)) {
      if ('activation' in due) queued.set(wakeId(due), due);
      // An alarm whose run could not be reached is due again.
      else
        one(processes)
          ?.runs.submit(due.run, { type: 'alarm', alarm: due.alarm, token: due.token })
          .catch(() => undefined);
    }
  }

  function release(): void {
    const held = one(processes.filter((each) => each.gates.length > 0))?.gates;
    const [gate] = held?.splice(chance.below(held.length), 1) ?? [];
    if (happens(roughness.fail)) gate?.fail(new Error('the connection was lost'));
    else gate?.pass();
  }

  async function turn(): Promise<void> {
    const target = one(processes);
    if (target !== undefined && happens(roughness.kill)) return kill(target);
    const gates = processes.flatMap(({ gates }) => gates);
    const choices = gates.length + queued.size;
    if (choices === 0 || chance.oneIn(50)) return look(choices === 0 ? 1000 : 60);
    if (chance.below(choices) >= gates.length) return deliver();
    release();
  }

  /** Does one of the things that do not change the result of a run. */
  async function meddle(runs: Runs): Promise<void> {
    const status = (await runs.describe(run))?.status;
    const stop = (inFlight: InFlight) => () => runs.stop(run, { note: 'wait', inFlight });
    const resume = () => runs.resume(run);
    const choices: { readonly [S in RunStatus]?: readonly (() => Promise<void>)[] } = {
      running: [() => runs.control(run, 'pause'), stop('drain'), stop('cancel')],
      waiting: [() => runs.control(run, 'pause'), stop('drain'), stop('cancel')],
      paused: [resume, resume, stop('drain'), stop('cancel')],
      stopping: [stop('cancel')],
      terminated: [resume],
    };
    await one(status === undefined ? [] : (choices[status] ?? []))?.();
    const violations = await audit(store, run, vocabulary);
    if (violations.length > 0) throw new Error(violations.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  }

  /** Pauses, stops or continues the run by chance, and shows its state, between two turns. */
  async function between(outside: Runs): Promise<void> {
    if (happens(roughness.meddle)) await meddle(outside);
    const loaded = shown === undefined ? undefined : await store.load(run);
    if (loaded !== undefined) shown?.(loaded.state);
  }

  return {
    store,
    async play(scenario) {
      processes = Array.from({ length: processCount }, startProcess);
      // Those who start, answer and look are not part of the game.
      const outside = createRuns({
        rates: createLocalRates(store.now),
        store,
        blobs,
        queue: queueOf(queued, () => undefined),
        vocabulary,
        report: () => undefined,
      });
      await outside.start({ workflow: workflowOf(scenario, vocabulary), input: scenario.input, run });
      const answered = new Set<string>();
      const answerOnce = async (runs: Runs, tasks: RunDescription['tasks']) => {
        const task = tasks.find(({ id }) => !answered.has(id));
        if (task === undefined) return;
        const text = answerTo(scenario, answered.size);
        answered.add(task.id);
        await runs.answer(run, task, { message: textMessage('user', text, 'person') });
      };
      for (let turns = 0; turns < patience; turns++) {
        await turn();
        // Everything that follows without the store or a timer happens now.
        await new Promise((resolve) => setImmediate(resolve));
        await between(outside);
        if (turns % 20 !== 0 && queued.size > 0) continue;
        const loaded = await outside.describe(run);
        if (loaded !== undefined && isOver(loaded)) return loaded;
        await answerOnce(outside, loaded?.tasks ?? []);
      }
      throw new Error(`the run has not ended after ${patience} turns`);
    },
  };
}

/** Returns true if a run will not continue; one that a person has stopped is still to be resumed. */
const isOver = ({ finishedAt, status, stop }: RunDescription): boolean =>
  finishedAt !== undefined && (status !== 'terminated' || stop?.code === 'budget');

/** A store that does nothing and tells nothing before it may. */
function gated(store: Store, pass: () => Promise<void>): Store {
  const through =
    <A extends unknown[], R>(action: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await pass();
      const result = await action(...args);
      await pass();
      return result;
    };
  return {
    ...store,
    commit: through(store.commit),
    since: through(store.since),
    load: through(store.load),
    bodies: through(store.bodies),
    loadPlan: through(store.loadPlan),
    savePlan: through(store.savePlan),
    saveText: through(store.saveText),
    loadText: through(store.loadText),
  };
}

/** A queue that only collects; the scheduler delivers. */
function queueOf(queued: Map<string, Wake>, consume: (processor: Processor) => void): Queue {
  const add: Queue['wake'] = async (wakes) => {
    for (const wake of wakes) queued.set(wakeId(wake), wake);
  };
  return {
    wake: add,
    requeue: add,
    missing: async (wakes) => wakes.filter((wake) => !queued.has(wakeId(wake))),
    reconcile: async () => undefined,
    consume(processor) {
      consume(processor);
      return { close: async () => undefined };
    },
    consumers: async () => 0,
    loads: async () => [],
    close: async () => undefined,
  };
}
