import type {
  ActivationId,
  Budget,
  Command,
  DefinitionRef,
  JournalEntry,
  Message,
  MessageBody,
  MessageRef,
  NewPreset,
  Plan,
  Replay,
  RunId,
  RunRecord,
} from '@millrace/core';
import {
  bodyOf,
  hasEnded,
  inheritedTags,
  omitUndefined,
  presetsOf,
  Recording,
  RequestError,
  runOf,
  tenantOf,
  withoutTenant,
} from '@millrace/core';
import { newMessage, observeTask } from '../commit/new-bodies.ts';
import type { ReplayRequest } from '../contract/runs.ts';
import type { Blobs } from '../ports/blobs.ts';
import { definitionRef, saveDefinition } from '../resources/definition-text.ts';
import { hasWebhooks } from '../resources/webhooks.ts';
import type { DescendantContext } from './descendant-context.ts';
import type { DescendantInMaking } from './descendant-in-making.ts';
import type { Ancestor } from './find-ancestor.ts';
import { messagesOf } from './find-ancestor.ts';
import { activationsOf, copiedEntries, copyJournal } from './journal-copy.ts';
import { RecordedPast } from './recorded-past.ts';
import { recordingOf } from './recordings.ts';
import { repeatedFork } from './repeated-fork.ts';

interface ReplayInput extends Omit<ReplayRequest, 'as' | 'onProgress'>, DescendantInMaking {
  readonly ancestor: Ancestor;
}

/** Returns the command that starts a replay of a run. Throws RequestError. */
export async function replayCommand(context: DescendantContext, request: ReplayInput): Promise<Command> {
  const { store, blobs } = context;
  const { ancestor, liveFrom, mode = 'strict', ttlMs } = request;
  const { run, state } = ancestor;
  const { timeoutMs } = runOf(state);
  const origin = state.get('origin') ?? { workflow: '' };
  const { workflow, title } = origin;
  assertReplayable(run, runOf(state), request);
  const past = new RecordedPast(run, liveFrom);
  const journal = await copyJournal(await withGivenOutputs(context, request), request, (entry) => past.add(entry));
  past.assertWhole();
  const isSame = mode === 'strict' && request.plan === undefined;
  const { entered, change } = past;
  if (change !== undefined && !isSame)
    throw impossible(
      `Run ${withoutTenant(run)} is a fork under another workflow or with another input: what happened before the fork happened under the earlier one, so it can only be replayed as it was.`,
    );
  if (change !== undefined) return repeatedFork(context, { ancestor, liveFrom, making: request, change, journal });
  // Runs that try a change out notify nobody.
  const told = mode === 'strict' && ttlMs === undefined && (await hasWebhooks(store, tenantOf(run)));
  const next = await planOf(context, request);
  const beginning = await beginningOf(blobs, ancestor, {
    entered,
    plan: next.plan,
    isSame: request.plan === undefined,
  });
  const { signals } = past;
  const bodies = [...beginning.bodies];
  const given = await messagesOf(
    ancestor,
    blobs,
    signals.map(({ message }) => message),
  );
  return {
    type: 'start',
    plan: next.hash,
    origin: {
      workflow,
      ...omitUndefined({
        title,
        definition: next.definition,
        recordRequests: origin.recordRequests,
        tags: inheritedTags(origin),
      }),
      ...(told ? { told } : {}),
      replay: omitUndefined({
        run,
        plan: ancestor.planHash,
        journal,
        liveFrom,
        mode: mode === 'strict' ? undefined : mode,
      }),
      ...(ttlMs === undefined ? {} : { expiresAt: store.now() + ttlMs }),
    },
    ...omitUndefined({ timeoutMs, budget: budgetOf(request, next.plan) }),
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

/** A plan with its hash, and the text that it was read from. */
interface DefinedPlan {
  readonly hash: string;
  readonly plan: Plan;
  readonly definition: DefinitionRef | undefined;
}

/** Stores the plan of a replay; the one of its source is stored. */
async function planOf({ cache, store }: DescendantContext, { ancestor, plan }: ReplayInput): Promise<DefinedPlan> {
  if (plan === undefined)
    return {
      hash: ancestor.planHash,
      plan: ancestor.plan,
      definition: ancestor.state.get('origin')?.definition,
    };
  const hash = await cache.plans.save(plan.workflow);
  await saveDefinition(store, plan.definition);
  return { hash, plan: (await cache.plans.load(hash)).plan, definition: definitionRef(plan.definition) };
}

/** Returns the budget of a replay; undefined where nothing is called, as recorded results cost nothing. */
function budgetOf({ ancestor, budget, liveFrom, mode }: ReplayInput, plan: Plan): Budget | undefined {
  if (budget !== undefined) return { ...plan.budget, ...budget };
  return liveFrom === undefined && mode !== 'reuse' ? undefined : ancestor.state.get('budget')?.limit;
}

interface BeginningPlan {
  readonly entered: RecordedPast['entered'];
  readonly plan: Plan;
  /** The plan is that of the original run. */
  readonly isSame: boolean;
}

/** Returns the task of the original run, and the initial messages of nodes: those of that run, or of another plan. */
async function beginningOf(blobs: Blobs, ancestor: Ancestor, { entered, plan, isSame }: BeginningPlan) {
  const root = plan.graphs.get('');
  const bodies: MessageBody[] = [];
  const bringOne = (message: Message) => newMessage(message, bodies.push(bodyOf(message)) - 1);
  const read = (refs: readonly MessageRef[]) => messagesOf(ancestor, blobs, refs);
  const given = await read(entered?.task ?? []);
  const task = given.map(bringOne);
  const presets: NewPreset[] = isSame || root === undefined ? [] : presetsOf(root, bringOne);
  for (const preset of isSame ? (entered?.presets ?? []) : [])
    presets.push({ ...preset, messages: (await read(preset.messages)).map(bringOne) });
  const observed = root?.termination === undefined ? {} : { observed: await observeTask(root.termination, given) };
  return { task, presets, bodies, ...observed };
}

function assertReplayable(
  run: RunId,
  { status, stop }: Pick<RunRecord, 'status' | 'stop'>,
  { liveFrom, mode = 'strict', plan }: Pick<ReplayRequest, 'liveFrom' | 'mode' | 'plan'>,
): void {
  if (liveFrom !== undefined && (mode !== 'strict' || plan !== undefined))
    throw impossible(
      `A replay is live from ${liveFrom} on, or where another workflow or the mode ${mode} makes it so. Give one of them.`,
    );
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
async function withGivenOutputs(context: DescendantContext, { ancestor, onProgress }: ReplayInput): Promise<Ancestor> {
  const replay = ancestor.state.get('origin')?.replay;
  if (replay === undefined) return ancestor;
  onProgress({ done: 0, total: activationsOf(ancestor) });
  const given = await givenIn(context, ancestor, replay);
  if (given.size === 0) return ancestor;
  return { ...ancestor, parts: [], journal: () => namingOutputs(ancestor, given) };
}

/** Returns the activations of a replay whose output was given in the run that it repeats. */
async function givenIn(
  { blobs, cache }: DescendantContext,
  ancestor: Ancestor,
  replay: Replay,
): Promise<ReadonlySet<ActivationId>> {
  const given = new Set<ActivationId>();
  let source: Recording;
  try {
    // Most runs have none, and are not held in memory.
    if (!(await hasGiven(copiedEntries(blobs, replay.journal)))) return given;
    source = await recordingOf(cache.plans, replay.plan, copiedEntries(blobs, replay.journal));
  } catch {
    // The copy was removed together with the replay, of which only the archive is left.
    return given;
  }
  const own = new Recording(ancestor.plan);
  for await (const entry of ancestor.journal()) {
    own.add(entry);
    const { event } = entry;
    if (event.type !== 'activation.completed') continue;
    const recorded = source.at(own.placeOf(event.activation));
    if (recorded?.output !== undefined && isBefore(recorded.activation, replay.liveFrom)) given.add(event.activation);
  }
  return given;
}

async function hasGiven(journal: AsyncIterable<JournalEntry>): Promise<boolean> {
  for await (const { event } of journal) {
    if (event.type === 'activation.completed' && event.given) return true;
    if (event.type === 'run.forked' && event.output !== undefined) return true;
  }
  return false;
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
