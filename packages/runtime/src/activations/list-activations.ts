import type { ActivationId, Event, JournalEntry, RunId, ScopeId } from '@millrace/core';
import { rootScope } from '@millrace/core';
import type { OpenRun } from '../commit/cached-run.ts';
import { readJournal } from '../journal/read-journal.ts';
import { placeOfReady, seekJournal } from '../journal/seek-journal.ts';
import type { Activation, ActivationProjection } from './activation-projection.ts';
import { activationOf, applyToProjection, beginProjection } from './activation-projection.ts';
import type { ActivationSource } from './activations.ts';

/*
 * Activations are numbered as they become ready, so a page of them begins somewhere in the journal and mostly ends
 * close by. The beginning is searched, and the journal is read from there until all activations of the page have
 * settled. An activation that is executing for long is not waited for: its status is in the state of the run.
 */

/**
 * Maximum number of events that are read for unsettled activations after all activations of the page have become ready.
 */
const maxFurtherEvents = 5000;

/**
 * Returns activations in the order in which they became ready, after one of them (0: from the first), at most `limit`.
 */
export async function listActivations(
  source: ActivationSource,
  run: RunId,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly Activation[] | undefined> {
  const now = await source.runs.refresh(run);
  if (now === undefined) return undefined;
  const { store } = source;
  const scopes = new ScopeGraphs({ store, run }, now);
  const place = await placeOfReady({ store, run }, `a${after + 1}`);
  const projections = new Map<ActivationId, ActivationProjection>();
  let rest = maxFurtherEvents;
  for await (const entry of readJournal(store, run, place)) {
    await applyEntry({ projections, scopes, after, limit }, entry);
    if (projections.size < limit) continue;
    rest -= 1;
    if (isComplete(projections, now, rest)) break;
  }
  return [...projections.values()].map((projection) => activationOf(projection, now.state));
}

const numberOf = (id: ActivationId | ScopeId): number => Number(id.slice(1));

interface PageInProgress {
  readonly projections: Map<ActivationId, ActivationProjection>;
  readonly scopes: ScopeGraphs;
  readonly after: number;
  readonly limit: number;
}

async function applyEntry({ projections, scopes, after, limit }: PageInProgress, entry: JournalEntry): Promise<void> {
  const { event, at } = entry;
  scopes.note(event);
  if (!('activation' in event)) return;
  const projection = projections.get(event.activation);
  if (projection !== undefined) applyToProjection(projection, entry);
  else if (event.type === 'activation.ready' && projections.size < limit && numberOf(event.activation) > after) {
    projections.set(event.activation, beginProjection(at, event, await scopes.placeOf(event)));
  }
}

/** Returns whether the page is complete: activations that have not settled take long, or settle further on. */
function isComplete(
  projections: ReadonlyMap<ActivationId, ActivationProjection>,
  { state }: OpenRun,
  rest: number,
): boolean {
  const open = [...projections.values()].filter(({ settledAt, last }) => settledAt === undefined && last !== 'dropped');
  return open.length === 0 || (rest < 0 && open.every(({ id }) => state.get(`activation/${id}`) !== undefined));
}

type Entered = Extract<Event, { type: 'graph.entered' | 'cycle.entered' | 'fanout.entered' }>;

const isEntered = (event: Event): event is Entered =>
  event.type === 'graph.entered' || event.type === 'cycle.entered' || event.type === 'fanout.entered';

/** Graphs of the scopes of a run, including scopes that it has left and that its state no longer holds. */
class ScopeGraphs {
  readonly #graphs = new Map<ScopeId, string>([[rootScope, '']]);
  readonly #journal: Parameters<typeof seekJournal>[0];
  readonly #now: OpenRun;

  constructor(journal: Parameters<typeof seekJournal>[0], now: OpenRun) {
    this.#journal = journal;
    this.#now = now;
  }

  note(event: Event): void {
    if (!isEntered(event)) return;
    const graph = event.type === 'graph.entered' ? event.graph : this.#known(event.parent);
    if (graph !== undefined) this.#graphs.set(event.scope, graph);
  }

  async placeOf({ scope, node }: Extract<Event, { type: 'activation.ready' }>) {
    const graph = await this.#graphOf(scope);
    return { graph, node: this.#now.plan.graphs.get(graph)?.nodes[node]?.id ?? '' };
  }

  #known(scope: ScopeId): string | undefined {
    return this.#graphs.get(scope) ?? this.#now.state.get(`scope/${scope}`)?.graph;
  }

  async #graphOf(scope: ScopeId): Promise<string> {
    const known = this.#known(scope);
    if (known !== undefined) return known;
    const entered = await this.#entryOf(scope);
    const graph = entered.type === 'graph.entered' ? entered.graph : await this.#graphOf(entered.parent);
    this.#graphs.set(scope, graph);
    return graph;
  }

  /** Scopes are numbered as they are entered. */
  async #entryOf(scope: ScopeId): Promise<Entered> {
    const { store, run } = this.#journal;
    const place = await seekJournal(this.#journal, (event) =>
      isEntered(event) ? numberOf(event.scope) < numberOf(scope) : undefined,
    );
    for await (const { event } of readJournal(store, run, place)) {
      if (isEntered(event) && event.scope === scope) return event;
    }
    throw new Error(`run ${run} has an activation in scope ${scope}, which it never entered`);
  }
}
