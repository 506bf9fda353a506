import type { ActivationId, MessageRef, RunId } from '@millrace/core';
import type { OpenRun } from '../commit/cached-run.ts';
import type { Activation, ActivationState } from './activation-projection.ts';
import { activationOf, stateOf } from './activation-projection.ts';
import type { ActivationSource } from './activation-source.ts';
import type { MessageHead } from './message-heads.ts';
import { readActivations } from './read-activations.ts';
import type { NodeFilter } from './skip-to-node.ts';
import { skipToNode } from './skip-to-node.ts';

/** Filter of activations, and the page that is wanted. */
export interface ActivationQuery {
  /** Number of the activation before the first one; 0: from the first. */
  readonly after: number;
  readonly limit: number;
  readonly node?: string;
  /** Key of a graph: empty for the root. */
  readonly graph?: string;
  readonly states?: readonly ActivationState[];
  readonly scope?: string;
  /** Number of characters of the last output of each activation; absent: outputs are not read. */
  readonly headChars?: number;
}

/** A page of activations. */
export interface ActivationPage {
  readonly activations: readonly Activation[];
  /** Number of activations that were read to find these. */
  readonly looked: number;
  /** Number of the activation after which the next page begins; absent when no activations follow at present. */
  readonly next?: number;
}

/** Maximum number of activations that one page reads to find those that match. */
const maxLooked = 2000;
const chunk = 500;

/** Lists activations in the order in which they became ready; undefined when there is no such run. */
export async function listActivations(
  source: ActivationSource,
  run: RunId,
  query: ActivationQuery,
): Promise<ActivationPage | undefined> {
  const page = await findActivations(source, run, query);
  if (page === undefined || query.headChars === undefined) return page;
  const outputs = page.activations.map(({ outputs: all }) => all.at(-1));
  const heads = await headsOf(source, run, { outputs, chars: query.headChars });
  return {
    ...page,
    activations: page.activations.map((activation, at) => {
      const lastOutput = heads[at];
      return lastOutput === undefined ? activation : { ...activation, lastOutput };
    }),
  };
}

/** Returns the beginnings of outputs, in their order; undefined where there is none. */
export async function headsOf(
  { runs }: ActivationSource,
  run: RunId,
  { outputs, chars }: { readonly outputs: readonly (MessageRef | undefined)[]; readonly chars: number },
): Promise<readonly (MessageHead | undefined)[]> {
  const refs = outputs.filter((output) => output !== undefined);
  const heads = new Map((await runs.heads(run, refs, chars)).map((head) => [head.id, head]));
  return outputs.map((output) => output && heads.get(output.id));
}

async function findActivations(
  source: ActivationSource,
  run: RunId,
  query: ActivationQuery,
): Promise<ActivationPage | undefined> {
  const { states } = query;
  if (states?.every(isUnsettled)) return findUnsettled(source, run, { ...query, states });
  if ((await source.runs.refresh(run)) === undefined) return undefined;
  const found: Activation[] = [];
  let looked = 0;
  let next = query.after;
  for await (const activation of activationsFrom(source, run, query)) {
    if (found.length === query.limit) return { activations: found, looked, next };
    looked += 1;
    next = numberOf(activation.id);
    if (matches(activation, query)) found.push(activation);
    if (looked === maxLooked) return { activations: found, looked, next };
  }
  return { activations: found, looked };
}

/** Yields activations in their order, those of other nodes only as far as they are near. */
async function* activationsFrom(
  source: ActivationSource,
  run: RunId,
  { node, graph, states, scope, ...query }: ActivationQuery,
): AsyncGenerator<Activation> {
  const isFiltered = [node, graph, states, scope].some((filter) => filter !== undefined);
  // One more than is wanted shows if more follow.
  const limit = isFiltered ? chunk : query.limit + 1;
  for (let { after } = query; ; ) {
    const place = node === undefined ? after : await placeOfNode(source, run, { node, graph, after });
    const read = place === undefined ? undefined : await readActivations(source, run, { after: place, limit });
    if (read === undefined) return;
    for (const projection of read.projections) yield activationOf(projection, read.now);
    const last = read.projections.at(-1);
    if (last === undefined || read.projections.length < limit) return;
    after = numberOf(last.id);
  }
}

/** Returns the place from which on activations of a node are looked for; undefined when there are no further ones. */
async function placeOfNode(
  source: ActivationSource,
  run: RunId,
  query: NodeFilter & { readonly after: number },
): Promise<number | undefined> {
  const now = await source.runs.refresh(run);
  return now && skipToNode(source, run, { ...query, now });
}

type UnsettledState = Exclude<ActivationState, 'opened' | 'completed' | 'dropped'>;

const unsettled: ReadonlySet<ActivationState> = new Set<UnsettledState>(['ready', 'working', 'waiting', 'failed']);

const isUnsettled = (state: ActivationState): boolean => unsettled.has(state);

/** Maximum number of parts of the journal that one page reads: activations that became ready close together are in one. */
const maxParts = 5;
/** Numbers of activations that are read together, and how far apart two of them may be. */
const partSize = 200;
const nearby = 50;

/**
 * Lists activations that have not settled, and failed ones: the state of the run has them all, except exit nodes that have
 * failed. So the journal is read only where these activations became ready, however long the run is.
 */
async function findUnsettled(
  source: ActivationSource,
  run: RunId,
  query: ActivationQuery & { readonly states: readonly ActivationState[] },
): Promise<ActivationPage | undefined> {
  const now = await source.runs.refresh(run);
  if (now === undefined) return undefined;
  const candidates = await candidatesIn(source, run, { now, query });
  const found: Activation[] = [];
  let looked = 0;
  for (const part of partsOf(candidates, maxParts)) {
    const [first = 0, last = first] = [part[0], part.at(-1)];
    const read = await readActivations(source, run, { after: first - 1, limit: last - first + 1 });
    if (read === undefined) return undefined;
    const projections = new Map(read.projections.map((projection) => [numberOf(projection.id), projection]));
    for (const number of part) {
      if (found.length === query.limit) return { activations: found, looked, next: number - 1 };
      looked += 1;
      const projection = projections.get(number);
      const activation = projection && activationOf(projection, read.now);
      if (activation !== undefined && matches(activation, query)) found.push(activation);
    }
  }
  const following = candidates[looked];
  return { activations: found, looked, ...(following === undefined ? {} : { next: following - 1 }) };
}

const numberOf = (id: string): number => Number(id.slice(1));

/** Returns the numbers of the activations that may match, in their order. */
async function candidatesIn(
  { runs }: ActivationSource,
  run: RunId,
  {
    now: { state },
    query: { after, states, scope },
  }: { readonly now: OpenRun; readonly query: ActivationQuery & { readonly states: readonly ActivationState[] } },
): Promise<readonly number[]> {
  const numbers: number[] = [];
  // The state may change while something is awaited.
  for (const key of state.keys('activation/')) {
    const id = key.slice('activation/'.length) as ActivationId; // the key's form
    const record = state.get(`activation/${id}`);
    if (record === undefined || numberOf(id) <= after || (scope !== undefined && record.scope !== scope)) continue;
    const present = stateOf(record);
    // A postponed activation waits, although its record says that it is ready.
    if (states.includes(present) || (present === 'ready' && states.includes('waiting'))) numbers.push(numberOf(id));
  }
  const exits = states.includes('failed') ? ((await runs.projection(run))?.exitFailures ?? []) : [];
  for (const id of exits) if (numberOf(id) > after) numbers.push(numberOf(id));
  return numbers.sort((one, other) => one - other);
}

/** Splits numbers into parts of those that are close together; returns the first parts. */
function partsOf(numbers: readonly number[], most: number): readonly (readonly number[])[] {
  const parts: number[][] = [];
  for (const number of numbers) {
    const part = parts.at(-1);
    const isNear = number - (part?.at(-1) ?? 0) <= nearby && number - (part?.[0] ?? 0) < partSize;
    if (part !== undefined && isNear) part.push(number);
    else if (parts.length === most) return parts;
    else parts.push([number]);
  }
  return parts;
}

const matches = (activation: Activation, { node, graph, states, scope }: ActivationQuery): boolean =>
  (node === undefined || activation.node === node) &&
  (graph === undefined || activation.graph === graph) &&
  (states === undefined || states.includes(activation.state)) &&
  (scope === undefined || activation.scope === scope);
