import type {
  ActivationId,
  BroughtPreset,
  Command,
  JournalEntry,
  MessageBody,
  MessageId,
  MessageRef,
  RunId,
  RunRecord,
} from '@millrace/core';
import { bodyOf, hasEnded, ownedBy, pastOf, RequestError, runOf, tenantOf } from '@millrace/core';
import { v7 as uuid } from 'uuid';
import type { Access } from './access.ts';
import type { Descendants } from './api.ts';
import { brought } from './brought.ts';
import { observeTask } from './observe-task.ts';
import { assertFits } from './orders.ts';
import { readJournal } from './read-journal.ts';
import { assertRoom } from './room.ts';
import type { Store } from './store/port.ts';
import type { Cell } from './transact.ts';
import { hasWebhooks } from './webhooks.ts';

/** Bodies that are read at once. */
const chunk = 500;

/** Makes runs of the runs of a store. */
export function descendantsOver(access: Access, store: Store): Descendants {
  async function begin(of: RunId, as: RunId | undefined, command: (source: Cell) => Promise<Command>): Promise<RunId> {
    const source = await access.known(of);
    const run = as ?? ownedBy(tenantOf(of), `run_${uuid().replaceAll('-', '')}`);
    if (as !== undefined && (await access.fresh(as, () => true)) !== undefined) return run;
    await assertRoom(store);
    const verdict = await access.submit(access.cellOf(run), await command(source)).verdict;
    if (verdict.type === 'refused' && verdict.code !== 'RUN_EXISTS')
      throw new RequestError(verdict.code, verdict.message);
    return run;
  }

  return {
    replay: (run, { as, liveFrom } = {}) =>
      begin(run, as, (source) => replayCommand(access, store, { source, liveFrom })),
    fork: (run, { as, at, output }) =>
      begin(run, as, async ({ state }) => {
        const journal = await collect(readJournal(store, run, '0'));
        if (!journal.some(({ event }) => event.type === 'activation.ready' && event.activation === at))
          throw unknownActivation(run, at);
        const { events, until } = pastOf(journal, at);
        const total = events.reduce((sum, { bodies = 0 }) => sum + bodies, 0);
        const bodies = output === undefined ? [] : [bodyOf(output)];
        assertFits(bodies, 'The output');
        return {
          type: 'fork',
          of: run,
          plan: runOf(state).plan,
          past: events,
          copies: await copiesOf(access, run, total),
          until,
          activation: at,
          ...(output === undefined ? {} : { output: brought(output, 0) }),
          bodies,
        };
      }),
  };
}

interface Replaying {
  readonly source: Cell;
  readonly liveFrom: ActivationId | undefined;
}

async function replayCommand(access: Access, store: Store, { source, liveFrom }: Replaying): Promise<Command> {
  const { run, state } = source;
  const record = runOf(state);
  const { workflow, tags } = state.get('origin') ?? { workflow: '' };
  const told = await hasWebhooks(store, tenantOf(run));
  const budget = state.get('budget');
  assertReplayable(run, record, liveFrom);
  const { entered, until } = await lookThrough(store, run, liveFrom);
  return {
    type: 'start',
    plan: record.plan,
    origin: {
      workflow,
      ...(tags === undefined ? {} : { tags }),
      ...(told ? { told } : {}),
      replay: { run, until, ...(liveFrom === undefined ? {} : { liveFrom }) },
    },
    ...(record.timeoutMs === undefined ? {} : { timeoutMs: record.timeoutMs }),
    // What is answered from a journal costs nothing.
    ...(budget === undefined || liveFrom === undefined ? {} : { budget: budget.limit }),
    ...(await beginningOf(access, source, entered)),
  };
}

type Entered = Extract<JournalEntry['event'], { type: 'graph.entered' }>;

interface Source {
  /** How its root graph was entered. */
  readonly entered: Entered | undefined;
  /** Its last entry. */
  readonly until: string;
}

async function lookThrough(store: Store, run: RunId, liveFrom: ActivationId | undefined): Promise<Source> {
  let entered: Entered | undefined;
  let found = liveFrom === undefined;
  let until = '0';
  for await (const { id, event } of readJournal(store, run, '0')) {
    until = id;
    if (event.type === 'graph.entered') entered ??= event;
    if (event.type === 'activation.ready' && event.activation === liveFrom) found = true;
    if (event.type === 'run.told' && liveFrom === undefined)
      throw impossible(`Run ${run} was told more when it was resumed; that has no place in a replay. Fork it instead.`);
  }
  if (!found) throw unknownActivation(run, liveFrom);
  return { entered, until };
}

/** The task, and what nodes began with, as they were. */
async function beginningOf(access: Access, source: Cell, entered: Entered | undefined) {
  const { run } = source;
  const termination = (await access.planOf(source)).graphs.get('')?.termination;
  const bodies: MessageBody[] = [];
  const bring = async (refs: readonly MessageRef[]) => {
    const messages = await access.messages(run, refs);
    return messages.map((message) => brought(message, bodies.push(bodyOf(message)) - 1));
  };
  const refs = entered?.task ?? [];
  const task = await bring(refs);
  const observed =
    termination === undefined ? {} : { observed: await observeTask(termination, await access.messages(run, refs)) };
  const presets: BroughtPreset[] = [];
  for (const preset of entered?.presets ?? []) presets.push({ ...preset, messages: await bring(preset.messages) });
  return { task, presets, bodies, ...observed };
}

function assertReplayable(
  run: RunId,
  { status, stop }: Pick<RunRecord, 'status' | 'stop'>,
  liveFrom: ActivationId | undefined,
): void {
  if (!hasEnded({ status })) throw impossible(`Run ${run} has not ended yet: it is ${status}.`);
  const isOwn = status === 'completed' || status === 'failed' || (status === 'terminated' && isCondition(stop));
  if (liveFrom !== undefined || isOwn) return;
  throw impossible(
    `Run ${run} was ${status} before it came to an end of its own, so its journal cannot answer a replay. Say from which activation on it is to be done anew, or fork it.`,
  );
}

/** Whether a condition of the workflow has stopped it, and not somebody outside. */
const isCondition = (stop: RunRecord['stop']): boolean => stop?.code !== 'external' && stop?.code !== 'budget';

const impossible = (message: string): RequestError => new RequestError('REPLAY_IMPOSSIBLE', message);

const unknownActivation = (run: RunId, activation: ActivationId | undefined): RequestError =>
  new RequestError(
    'ACTIVATION_UNKNOWN',
    `Run ${run} has no activation ${activation}. \`millrace journal ${run}\` lists them.`,
  );

async function copiesOf(access: Access, run: RunId, total: number) {
  const copies: { readonly id: MessageId; readonly body: MessageBody }[] = [];
  for (let from = 1; from <= total; from += chunk) {
    const ids = Array.from({ length: Math.min(chunk, total - from + 1) }, (_, at): MessageId => `m${from + at}`);
    const bodies = await access.bodies.read(run, ids);
    bodies.forEach((body, at) => {
      const id = ids[at];
      if (id !== undefined) copies.push({ id, body });
    });
  }
  return copies;
}

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
