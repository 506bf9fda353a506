import type {
  ActivationId,
  Command,
  JournalEntry,
  JournalPart,
  KeptSignal,
  Message,
  MessageBody,
  MessageId,
  MessageRef,
  NewPreset,
  Origin,
  Replay,
  RunId,
  RunRecord,
} from '@millrace/core';
import {
  bodyOf,
  forkHistoryOf,
  forkPreviewOf,
  hasEnded,
  inheritedTags,
  omitUndefined,
  Recording,
  RequestError,
  runOf,
  tenantOf,
  withoutTenant,
  withTenant,
} from '@millrace/core';
import { v7 as uuid } from 'uuid';
import { newMessage, observeTask } from '../commit/new-bodies.ts';
import { verdictFor } from '../commit/unrecoverable-run.ts';
import type { Descendants, RunSource } from '../contract/runs.ts';
import type { Blobs } from '../ports/blobs.ts';
import { assertCapacity } from '../ports/store/capacity.ts';
import { hasWebhooks } from '../resources/webhooks.ts';
import type { Ancestor } from './find-ancestor.ts';
import { archivedAncestor, messagesOf, storedAncestor } from './find-ancestor.ts';
import type { DescendantContext } from './fork-command.ts';
import { forkCommand, unknownActivation, wholeJournal } from './fork-command.ts';
import { forkedNode, stateAfter } from './forked-node.ts';
import { copiedEntries, copyJournal, dropJournal } from './journal-copy.ts';
import { repeatedFork } from './repeated-fork.ts';

/** Creates the replays and forks of the runs of a store, and of archived runs. */
export function createDescendants(context: DescendantContext): Descendants {
  const { cache, store } = context;

  const ancestorOf = (source: RunSource): Promise<Ancestor> =>
    typeof source === 'string' ? storedAncestor(cache, store, source) : archivedAncestor(cache, store, source.file);

  async function begin(source: RunSource, { as, isThis, command }: DescendantRequest): Promise<RunId> {
    const ancestor = await ancestorOf(source);
    const run = as ?? withTenant(tenantOf(ancestor.run), `run_${uuid().replaceAll('-', '')}`);
    const there = as === undefined ? undefined : await cache.fresh(as, () => true);
    if (there !== undefined && (await cache.isKept(there)))
      return assertThis(run, isThis(ancestor, there.state.get('origin')));
    await assertCapacity(store);
    const hasObservers = await command(ancestor, run);
    const verdict = await verdictFor(cache.submit(cache.cachedOf(run), hasObservers).verdict);
    if (verdict.type === 'refused') {
      await dropUnnamed(context, run, hasObservers);
      if (verdict.code !== 'RUN_EXISTS') throw new RequestError(verdict.code, verdict.message);
      const first = await cache.known(run);
      return assertThis(run, isThis(ancestor, first.state.get('origin')));
    }
    return run;
  }

  return {
    replay: (source, { as, liveFrom } = {}) =>
      begin(source, {
        as,
        isThis: ({ run }, origin) => origin?.replay?.run === run && origin.replay.liveFrom === liveFrom,
        command: (ancestor, run) => replayCommand(context, { ancestor, run, liveFrom }),
      }),
    fork: (source, { as, ...request }) =>
      begin(source, {
        as,
        isThis: ({ run }, origin) => origin?.fork?.run === run && origin.fork.activation === request.at,
        command: (ancestor, run) => forkCommand(context, { ...request, ancestor, run }),
      }),
    async previewFork(source, at) {
      const ancestor = await ancestorOf(source);
      const journal = await wholeJournal(ancestor, at);
      const state = stateAfter(ancestor.plan, forkHistoryOf(journal, at).entries);
      const settings = forkedNode(ancestor.plan, state, at)?.settings;
      return { ...forkPreviewOf(journal, at), ...omitUndefined({ settings }) };
    },
  };
}

/** Creation of one run from another one. */
interface DescendantRequest {
  /** Requested id of the new run. */
  readonly as: RunId | undefined;
  /** Returns whether the existing run with this id is the requested one. */
  readonly isThis: (ancestor: Ancestor, origin: Origin | undefined) => boolean;
  readonly command: (ancestor: Ancestor, run: RunId) => Promise<Command>;
}

function assertThis(run: RunId, isThis: boolean): RunId {
  if (isThis) return run;
  throw new RequestError('RUN_EXISTS', `There is another run ${withoutTenant(run)} already. Choose another id.`);
}

/** Deletes the copy of a journal that no run uses: another caller has made the run in the meantime. */
async function dropUnnamed({ cache, blobs }: DescendantContext, run: RunId, command: Command): Promise<void> {
  const replay =
    command.type === 'start' ? command.origin.replay : command.type === 'fork' ? command.replay : undefined;
  const parts = replay?.journal ?? [];
  if (parts.length === 0) return;
  const there = await cache.fresh(run, () => false);
  const named = new Set(there?.state.get('origin')?.replay?.journal.map(({ digest }: JournalPart) => digest));
  await dropJournal(
    blobs,
    parts.filter(({ digest }) => !named.has(digest)),
  );
}

interface ReplayOptions {
  readonly ancestor: Ancestor;
  /** The new run. */
  readonly run: RunId;
  readonly liveFrom: ActivationId | undefined;
}

async function replayCommand(
  context: DescendantContext,
  { ancestor, run: as, liveFrom }: ReplayOptions,
): Promise<Command> {
  const { store, blobs } = context;
  const { run, state } = ancestor;
  const record = runOf(state);
  const origin = state.get('origin') ?? { workflow: '' };
  const { workflow, title, definition } = origin;
  const hasObservers = await hasWebhooks(store, tenantOf(run));
  const budget = state.get('budget');
  assertReplayable(run, record, liveFrom);
  const entered = await lookThrough(ancestor, liveFrom);
  const repeated = await repeatedFork(context, { ancestor, run: as, liveFrom });
  if (repeated !== undefined) return repeated;
  const beginning = await beginningOf(blobs, ancestor, entered);
  const signals = liveFrom === undefined ? [] : await signalsFrom(ancestor, liveFrom);
  const bodies = [...beginning.bodies];
  const given = await messagesOf(
    ancestor,
    blobs,
    signals.map(({ message }) => message),
  );
  return {
    type: 'start',
    plan: record.plan,
    origin: {
      workflow,
      ...omitUndefined({ title, definition, tags: inheritedTags(origin) }),
      ...(hasObservers ? { told: hasObservers } : {}),
      replay: omitUndefined({
        run,
        journal: await copyJournal(blobs, await withGivenOutputs(blobs, ancestor)),
        liveFrom,
      }),
    },
    ...omitUndefined({ timeoutMs: record.timeoutMs }),
    // Steps from the journal cost nothing.
    ...(budget === undefined || liveFrom === undefined ? {} : { budget: budget.limit }),
    ...beginning,
    signals: signals.flatMap(({ name, fields }, at) => {
      const message = given[at];
      return message === undefined
        ? []
        : [{ name, fields, message: newMessage(message, bodies.push(bodyOf(message)) - 1) }];
    }),
    bodies,
  };
}

/** Returns the events from outside that no activation before `liveFrom` has taken, oldest first. */
async function signalsFrom(ancestor: Ancestor, liveFrom: ActivationId): Promise<readonly KeptSignal[]> {
  const signals = new Map<MessageId, KeptSignal>();
  for await (const { event } of ancestor.journal()) {
    if (event.type === 'signal.received') signals.set(event.message.id, event);
    if (event.type === 'activation.answered' && numberOf(event.activation) < numberOf(liveFrom))
      signals.delete(event.answer.id);
  }
  return [...signals.values()];
}

/** Activations are numbered as they become ready. */
const numberOf = (activation: ActivationId): number => Number(activation.slice(1));

type GraphEntry = Extract<JournalEntry['event'], { type: 'graph.entered' }>;

/** Returns the event that entered the root graph, from the journal. Throws RequestError for a journal without it. */
async function lookThrough(ancestor: Ancestor, liveFrom: ActivationId | undefined): Promise<GraphEntry | undefined> {
  const { run } = ancestor;
  let entered: GraphEntry | undefined;
  let found = liveFrom === undefined;
  for await (const { event } of ancestor.journal()) {
    if (event.type === 'activation.ready' && event.activation === liveFrom) found = true;
    const isRoot = event.type === 'graph.entered' && event.caller === undefined;
    const isMore = isRoot && entered !== undefined && (liveFrom === undefined || !found);
    if (isRoot) entered ??= event;
    if (isMore || (event.type === 'run.told' && liveFrom === undefined))
      throw impossible(`Run ${run} was told more when it was resumed; that has no place in a replay. Fork it instead.`);
  }
  if (!found) throw unknownActivation(run, liveFrom);
  return entered;
}

/** Returns the task and the initial messages of nodes of the original run. */
async function beginningOf(blobs: Blobs, ancestor: Ancestor, entered: GraphEntry | undefined) {
  const termination = ancestor.plan.graphs.get('')?.termination;
  const bodies: MessageBody[] = [];
  const bring = (messages: readonly Message[]) =>
    messages.map((message) => newMessage(message, bodies.push(bodyOf(message)) - 1));
  const read = (refs: readonly MessageRef[]) => messagesOf(ancestor, blobs, refs);
  const given = await read(entered?.task ?? []);
  const task = bring(given);
  const presets: NewPreset[] = [];
  for (const preset of entered?.presets ?? [])
    presets.push({ ...preset, messages: bring(await read(preset.messages)) });
  const observed = termination === undefined ? {} : { observed: await observeTask(termination, given) };
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

/** Returns whether a condition of the workflow, and not a caller, has stopped the run. */
const isCondition = (stop: RunRecord['stop']): boolean => stop?.code !== 'external' && stop?.code !== 'budget';

const impossible = (message: string): RequestError => new RequestError('REPLAY_IMPOSSIBLE', message);

/**
 * Returns a run whose journal names the outputs that took the place of executions. A replay of a fork takes a given output
 * from the journal of the fork, and its own journal has no call that a further replay could read instead.
 */
async function withGivenOutputs(blobs: Blobs, ancestor: Ancestor): Promise<Ancestor> {
  const replay = ancestor.state.get('origin')?.replay;
  if (replay === undefined) return ancestor;
  const given = await givenIn(blobs, ancestor, replay);
  if (given.size === 0) return ancestor;
  return { ...ancestor, journal: () => namingOutputs(ancestor, given) };
}

/** Returns the activations of a replay whose output was given in the run that it repeats. */
async function givenIn(blobs: Blobs, ancestor: Ancestor, replay: Replay): Promise<ReadonlySet<ActivationId>> {
  const [source, own] = [new Recording(), new Recording()];
  try {
    for await (const entry of copiedEntries(blobs, replay.journal)) source.add(entry);
  } catch {
    // The copy was removed together with the replay, of which only the archive is left.
    return new Set();
  }
  const given = new Set<ActivationId>();
  for await (const entry of ancestor.journal()) {
    own.add(entry);
    const { event } = entry;
    if (event.type !== 'activation.completed') continue;
    const place = own.pathOf(event.activation);
    const recorded = place === undefined ? undefined : source.at(place);
    if (recorded?.output !== undefined && isBefore(recorded.activation, replay.liveFrom)) given.add(event.activation);
  }
  return given;
}

/** Activations are numbered as they become ready. */
const isBefore = (activation: ActivationId, liveFrom: ActivationId | undefined): boolean =>
  liveFrom === undefined || Number(activation.slice(1)) < Number(liveFrom.slice(1));

/** Yields a journal with an event of a fork before each completion with a given output, as the journal of a fork has it. */
async function* namingOutputs(ancestor: Ancestor, given: ReadonlySet<ActivationId>): AsyncIterable<JournalEntry> {
  for await (const entry of ancestor.journal()) {
    const { event } = entry;
    const output = event.type === 'activation.completed' ? event.outputs.at(-1) : undefined;
    if (event.type === 'activation.completed' && output !== undefined && given.has(event.activation)) {
      const { activation } = event;
      yield {
        ...entry,
        event: { type: 'run.forked', of: ancestor.run, activation, until: entry.at, token: '', output },
      };
    }
    yield entry;
  }
}
