import { bodyOf, type Command, type MessageBody, messageOf, RequestError, type RunId, type Vocabulary } from '@millrace/core';
import { v7 as uuid } from 'uuid';
import type { OpenRun, Runs, Verdict } from './api.ts';
import { Bodies } from './bodies.ts';
import { Cells } from './cells.ts';
import { createPlans } from './plans.ts';
import { brought } from './brought.ts';
import { describeRun } from './describe.ts';
import type { Queue } from './queue/port.ts';
import { startCommand } from './start-command.ts';
import type { Store } from './store/port.ts';
import { summarise } from './summary.ts';
import { onlyTask } from './tasks.ts';
import { type Cell, follow, inTurn, reload, submit, type Transacting } from './transact.ts';
import { watch } from './watch.ts';

/** What runs are made on. */
export interface RunsOptions {
  readonly store: Store;
  readonly queue: Queue;
  readonly vocabulary: Vocabulary;
  /** Tells people of something that went wrong and heals by itself. */
  readonly report: (message: string, error: unknown) => void;
}

/** Runs whose folded state a process keeps at most. */
const cellLimit = 1000;
/** Characters of message bodies that a process keeps at most. */
const bodyLimit = 64 * 1024 * 1024;

/** Everything that can be done with runs, on any store and queue. */
export function createRuns({ store, queue, vocabulary, report }: RunsOptions): Runs {
  const plans = createPlans(store, vocabulary);
  const cells = new Cells(cellLimit);
  const bodies = new Bodies(store, bodyLimit);
  const around: Transacting = {
    store,
    queue,
    report,
    nonce: () => uuid().slice(-12),
    planOf: async (hash) => (await plans.load(hash)).plan,
    load: (run) => {
      bodies.forget(run);
      return store.load(run);
    },
    committed: (run, decision) => bodies.learn(run, decision.bodies),
    summarise,
  };

  /** The cell of a run as fresh as the test wants it; undefined when there is no such run. */
  async function fresh(run: RunId, isFresh: (cell: Cell) => boolean): Promise<Cell | undefined> {
    const cell = cells.of(run);
    if (cell.version > 0 && isFresh(cell)) return cell;
    const asked = cell.version;
    const there = await inTurn(cell, async () => {
      if (cell.version === 0) return reload(around, cell);
      // Somebody has moved it on while this waited for its turn.
      if (cell.version > asked && isFresh(cell)) return true;
      const result = await store.since({ run, version: cell.version, nonce: cell.nonce });
      return result.type === 'committed' || follow(around, cell, result);
    });
    return there ? cell : forget(run);
  }

  const forget = (run: RunId): undefined => {
    cells.drop(run);
    return undefined;
  };

  async function known(run: RunId): Promise<Cell> {
    const cell = await fresh(run, () => false);
    if (cell === undefined) throw new RequestError('RUN_UNKNOWN', `There is no run ${run}.`);
    return cell;
  }

  async function order(run: RunId, command: Command): Promise<void> {
    const verdict = verdictOf(await submit(around, await known(run), command));
    if (verdict.type === 'refused') throw new RequestError(verdict.code, verdict.message);
  }

  async function opened(run: RunId, isFresh: (cell: Cell) => boolean): Promise<OpenRun | undefined> {
    const cell = await fresh(run, isFresh);
    const hash = cell?.state.get('run')?.plan;
    return cell === undefined || hash === undefined ? undefined : { plan: (await plans.load(hash)).plan, state: cell.state };
  }

  const messages: Runs['messages'] = async (run, refs) => {
    const read = await bodies.read(run, refs.map(({ id }) => id));
    return refs.map((ref, at) => messageOf(ref, read[at] as MessageBody)); // read returns one body per id
  };

  return {
    async start(request) {
      const run = request.run ?? `run_${uuid().replaceAll('-', '')}`;
      const cell = request.run === undefined ? cells.of(run) : await fresh(run, () => true);
      if (cell !== undefined && cell.version > 0) return run;
      const plan = await plans.save(request.workflow);
      const { plan: compiled } = await plans.load(plan);
      await submit(around, cell ?? cells.of(run), startCommand(compiled, plan, request));
      return run;
    },
    async describe(run) {
      const cell = await fresh(run, () => false);
      if (cell === undefined) return undefined;
      const { plan } = await plans.load(cell.state.get('run')?.plan ?? '');
      return describeRun(cell, plan, (refs) => messages(run, refs));
    },
    list: (limit) => store.runs(limit),
    async answer(run, activation, answer) {
      const cell = await known(run);
      const target = activation ?? onlyTask(cell);
      await order(run, { type: 'answer', activation: target, answer: brought(answer, 0), bodies: [bodyOf(answer)] });
    },
    cancel: (run, reason) => order(run, { type: 'cancel', reason }),
    watch: (run, after, signal) => watch(store, run, { after, signal }),
    open: (run, activation, token) => opened(run, ({ state }) => state.get(`activation/${activation}`)?.token === token),
    refresh: (run) => opened(run, () => false),
    submit: async (run, command) => {
      const cell = await fresh(run, () => true);
      if (cell === undefined) return { type: 'refused', code: 'RUN_UNKNOWN', message: `There is no run ${run}.` };
      return verdictOf(await submit(around, cell, command));
    },
    bodies: (run, ids) => bodies.read(run, ids),
    messages,
    now: () => store.now(),
  };
}

function verdictOf(verdict: Awaited<ReturnType<typeof submit>>): Verdict {
  if (verdict.type === 'crashed') throw verdict.error;
  return verdict;
}
