import type {
  ActivationId,
  Event,
  ForkCommand,
  JournalEntry,
  MemoryItem,
  MemoryWrite,
  MessageBody,
  MessageId,
  RunId,
  Variables,
} from '@millrace/core';
import {
  bodyOf,
  elapsedTimes,
  forkHistoryOf,
  hasTerminations,
  inputOf,
  mergeVariables,
  omitUndefined,
  RequestError,
  skeletonDifference,
  storeOfRun,
  tenantOf,
  textMessage,
  variablesOf,
  withoutTenant,
  withVariables,
} from '@millrace/core';
import { loadBody } from '../blobs/long-bodies.ts';
import { assertMessageSize, newMessage } from '../commit/new-bodies.ts';
import type { RunCache } from '../commit/run-cache.ts';
import type { ForkRequest } from '../contract/runs.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Store } from '../ports/store/port.ts';
import { definitionRef, loadDefinition, saveDefinition } from '../resources/definition-text.ts';
import { hasWebhooks } from '../resources/webhooks.ts';
import type { Ancestor } from './find-ancestor.ts';
import { messagesOf, unknownActivation } from './find-ancestor.ts';
import { forkPointOf } from './fork-point.ts';
import { forkedNode, stateAfter, withSettings } from './forked-node.ts';

/** Dependencies of replays and forks. */
export interface DescendantContext {
  readonly cache: RunCache;
  readonly store: Store;
  readonly blobs: Blobs;
}

interface ForkInput extends Omit<ForkRequest, 'as'> {
  readonly ancestor: Ancestor;
  /** The new run. */
  readonly run: RunId;
}

/** Returns the command that starts a run with the history of another one. Throws RequestError. */
export async function forkCommand(context: DescendantContext, request: ForkInput): Promise<ForkCommand> {
  const { ancestor, run, at, output, input } = request;
  const journal = await wholeJournal(ancestor, at);
  const { entries, until } = forkHistoryOf(journal, at);
  const events = entries.map(({ event }) => event);
  const total = events.reduce((sum, { bodies = 0 }) => sum + bodies, 0);
  const edited =
    output &&
    withVariables(output, { ...(await knownAt(context.blobs, { ancestor, journal, at })), ...variablesOf(output) });
  const given = input === undefined ? [] : [await newInput(context.blobs, { ancestor, journal, at }, input)];
  const bodies = [...(edited === undefined ? [] : [edited]), ...given].map(bodyOf);
  assertMessageSize(bodies, edited === undefined ? 'The input' : 'The output');
  return {
    type: 'fork',
    of: ancestor.run,
    plan: ancestor.planHash,
    ...(await otherPlan(context, request)),
    history: events,
    copies: await copiesOf(context.blobs, ancestor, total),
    until,
    elapsed: hasTerminations(ancestor.plan) ? elapsedTimes(stateAfter(ancestor.plan, entries), until) : [],
    activation: at,
    ...(edited === undefined ? {} : { output: newMessage(edited, 0) }),
    ...(input === undefined ? {} : { input: given.map((message) => newMessage(message, bodies.length - 1)) }),
    ...((await hasWebhooks(context.store, tenantOf(run))) ? { told: true as const } : {}),
    memory: await inheritedMemory(context.store, { run, of: ancestor.run, past: events, journal }),
    bodies,
  };
}

/** Reads the journal of a run that is to be forked. Throws RequestError when it lacks the activation. */
async function wholeJournal(ancestor: Ancestor, at: ActivationId): Promise<readonly JournalEntry[]> {
  const journal: JournalEntry[] = [];
  for await (const entry of ancestor.journal()) journal.push(entry);
  if (journal.some(({ event }) => event.type === 'activation.ready' && event.activation === at)) return journal;
  throw unknownActivation(ancestor.run, at);
}

/** Stores the plan with which a fork continues. Throws RequestError when the state of the run does not fit it. */
async function otherPlan(context: DescendantContext, request: ForkInput) {
  const plan = await wantedPlan(context, request);
  if (plan === undefined) return {};
  const { cache, store } = context;
  const { ancestor } = request;
  const hash = await cache.plans.save(plan.workflow);
  const difference = skeletonDifference(ancestor.plan, (await cache.plans.load(hash)).plan);
  if (difference !== undefined)
    throw new RequestError(
      'FORK_PLAN_DIFFERS',
      `Run ${withoutTenant(ancestor.run)} cannot continue under this workflow: ${difference}. Its nodes and edges must be the same; start a new run of the workflow instead.`,
    );
  await saveDefinition(store, plan.definition);
  return { plan: hash, ...omitUndefined({ definition: definitionRef(plan.definition) }) };
}

/** Returns the workflow under which a fork continues; undefined: the one of the original run. */
async function wantedPlan({ cache, store }: DescendantContext, request: ForkInput) {
  const { ancestor, at, plan, settings } = request;
  if (settings === undefined) return plan;
  const known = plan ?? {
    workflow: (await cache.plans.load(ancestor.planHash)).workflow,
    ...omitUndefined({ definition: await loadDefinition(store, ancestor.state) }),
  };
  const node = forkedNode(ancestor.plan, (await forkPointOf(ancestor, at)).before, at);
  return withSettings(known, { run: ancestor.run, node, settings });
}

interface ForkedActivation {
  readonly ancestor: Ancestor;
  readonly journal: readonly JournalEntry[];
  readonly at: ActivationId;
}

/** Returns the variables of an activation's output: nodes after it may need them, whatever its new output is. */
async function knownAt(blobs: Blobs, { ancestor, journal, at }: ForkedActivation): Promise<Variables> {
  const done = journal.findLast(({ event }) => event.type === 'activation.completed' && event.activation === at)?.event;
  const last = done?.type === 'activation.completed' ? done.outputs.slice(-1) : [];
  return mergeVariables(await messagesOf(ancestor, blobs, last));
}

/** Returns a message with a text that takes the place of all messages that an activation was given. */
async function newInput(blobs: Blobs, { ancestor, journal, at }: ForkedActivation, text: string) {
  const state = stateAfter(ancestor.plan, forkHistoryOf(journal, at).entries);
  const before = await messagesOf(ancestor, blobs, inputOf(ancestor.plan, state, at));
  return withVariables(textMessage('user', text, before.at(-1)?.source ?? 'TASK'), mergeVariables(before));
}

/** Maximum number of bodies in one read. */
const chunk = 500;

/** Returns the bodies of the first messages of a run. */
export async function copiesOf(blobs: Blobs, ancestor: Ancestor, total: number) {
  const copies: { readonly id: MessageId; readonly body: MessageBody }[] = [];
  for (let from = 1; from <= total; from += chunk) {
    const ids = Array.from({ length: Math.min(chunk, total - from + 1) }, (_, at): MessageId => `m${from + at}`);
    const bodies = await Promise.all((await ancestor.bodies(ids)).map((body) => loadBody(blobs, body)));
    bodies.forEach((body, at) => {
      copies.push({ id: `m${from + at}`, body });
    });
  }
  return copies;
}

/** Start of a run with the history of another one. */
interface ForkedRun {
  readonly run: RunId;
  readonly of: RunId;
  readonly past: readonly Event[];
  /** Whole journal of the other run. */
  readonly journal: readonly JournalEntry[];
}

const page = 500;

/**
 * Copies the run-scoped stores as of the end of the history, as far as they still contain it: a replaced text is lost.
 */
export async function inheritedMemory(
  store: Store,
  { run, of, past, journal }: ForkedRun,
): Promise<readonly MemoryWrite[]> {
  const shared = countWrites(past);
  const all = countWrites(journal.map(({ event }) => event));
  const inherited: MemoryWrite[] = [];
  for (const [within, written] of shared) {
    const items = await itemsOf(store, storeOfRun(of, within));
    const since = (all.get(within) ?? written) - written;
    const kept = items.slice(0, Math.max(0, items.length - since));
    for (const { id: _there, ...memory } of kept)
      inherited.push({ store: storeOfRun(run, within), limit: kept.length, memory });
  }
  return inherited;
}

function countWrites(events: readonly Event[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) {
    if (event.type !== 'activation.completed') continue;
    for (const [within, count] of Object.entries(event.remembered ?? {}))
      counts.set(within, (counts.get(within) ?? 0) + count);
  }
  return counts;
}

async function itemsOf(store: Store, identity: string): Promise<readonly MemoryItem[]> {
  const items: MemoryItem[] = [];
  for (;;) {
    const found = await store.memory(identity, items.at(-1)?.id ?? '0', page);
    for (const item of found.items) items.push(item);
    if (found.items.length < page) return items;
  }
}
