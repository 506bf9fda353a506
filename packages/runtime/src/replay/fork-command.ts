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
import { messagesOf } from './find-ancestor.ts';
import type { FoundForkPoint } from './fork-point.ts';
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
  const point = await forkPointOf(ancestor, at);
  const shared = await entriesBefore(ancestor, point.end);
  const { entries, until } = forkHistoryOf(shared, at);
  const events = entries.map(({ event }) => event);
  const total = events.reduce((sum, { bodies = 0 }) => sum + bodies, 0);
  const edited =
    output &&
    withVariables(output, {
      // Nodes after it may need the variables of its former output, whatever its new output is.
      ...mergeVariables(await messagesOf(ancestor, context.blobs, point.output.slice(-1))),
      ...variablesOf(output),
    });
  const given = input === undefined ? [] : [await newInput(context.blobs, { ancestor, entries, at }, input)];
  const bodies = [...(edited === undefined ? [] : [edited]), ...given].map(bodyOf);
  assertMessageSize(bodies, edited === undefined ? 'The input' : 'The output');
  return {
    type: 'fork',
    of: ancestor.run,
    plan: ancestor.planHash,
    ...(await otherPlan(context, request, point)),
    history: events,
    copies: await copiesOf(context.blobs, ancestor, total),
    until,
    elapsed: hasTerminations(ancestor.plan) ? elapsedTimes(await stateAfter(ancestor.plan, entries), until) : [],
    activation: at,
    ...(edited === undefined ? {} : { output: newMessage(edited, 0) }),
    ...(input === undefined ? {} : { input: given.map((message) => newMessage(message, bodies.length - 1)) }),
    ...((await hasWebhooks(context.store, tenantOf(run))) ? { told: true as const } : {}),
    memory: await inheritedMemory(context.store, {
      run,
      of: ancestor.run,
      past: events,
      later: () => ancestor.journal(shared.at(-1)?.id),
    }),
    bodies,
  };
}

/** Returns the entries of a run before one of them; all of them without that. */
async function entriesBefore(ancestor: Ancestor, end: string | undefined): Promise<readonly JournalEntry[]> {
  const entries: JournalEntry[] = [];
  for await (const entry of ancestor.journal()) {
    if (entry.id === end) break;
    entries.push(entry);
  }
  return entries;
}

/** Stores the plan with which a fork continues. Throws RequestError when the state of the run does not fit it. */
async function otherPlan(context: DescendantContext, request: ForkInput, point: FoundForkPoint) {
  const plan = await wantedPlan(context, request, point);
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
async function wantedPlan({ cache, store }: DescendantContext, request: ForkInput, point: FoundForkPoint) {
  const { ancestor, at, plan, settings } = request;
  if (settings === undefined) return plan;
  const known = plan ?? {
    workflow: (await cache.plans.load(ancestor.planHash)).workflow,
    ...omitUndefined({ definition: await loadDefinition(store, ancestor.state) }),
  };
  const node = forkedNode(ancestor.plan, point.before, at);
  return withSettings(known, { run: ancestor.run, node, settings });
}

interface ForkedActivation {
  readonly ancestor: Ancestor;
  /** The history of the fork. */
  readonly entries: readonly JournalEntry[];
  readonly at: ActivationId;
}

/** Returns a message with a text that takes the place of all messages that an activation was given. */
async function newInput(blobs: Blobs, { ancestor, entries, at }: ForkedActivation, text: string) {
  const state = await stateAfter(ancestor.plan, entries);
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
  /** Yields what follows the history in the journal of the other run. */
  readonly later: () => Iterable<JournalEntry> | AsyncIterable<JournalEntry>;
}

const page = 500;

/**
 * Copies the run-scoped stores as of the end of the history, as far as they still contain it: a replaced text is lost.
 */
export async function inheritedMemory(
  store: Store,
  { run, of, past, later }: ForkedRun,
): Promise<readonly MemoryWrite[]> {
  const shared = new Map<string, number>();
  for (const event of past) countWrites(shared, event);
  const since = new Map<string, number>();
  if (shared.size > 0) for await (const { event } of later()) countWrites(since, event);
  const inherited: MemoryWrite[] = [];
  for (const within of shared.keys()) {
    const items = await itemsOf(store, storeOfRun(of, within));
    const kept = items.slice(0, Math.max(0, items.length - (since.get(within) ?? 0)));
    for (const { id: _there, ...memory } of kept)
      inherited.push({ store: storeOfRun(run, within), limit: kept.length, memory });
  }
  return inherited;
}

/** Adds what an event has written to each store. */
function countWrites(counts: Map<string, number>, event: Event): void {
  if (event.type !== 'activation.completed') return;
  for (const [within, count] of Object.entries(event.remembered ?? {}))
    counts.set(within, (counts.get(within) ?? 0) + count);
}

async function itemsOf(store: Store, identity: string): Promise<readonly MemoryItem[]> {
  const items: MemoryItem[] = [];
  for (;;) {
    const found = await store.memory(identity, items.at(-1)?.id ?? '0', page);
    for (const item of found.items) items.push(item);
    if (found.items.length < page) return items;
  }
}
