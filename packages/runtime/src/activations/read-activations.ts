import type { ActivationId, JournalEntry, RunId } from '@millrace/core';
import type { RunProjection } from '@millrace/core/projection';
import { project } from '@millrace/core/projection';
import type { OpenRun } from '../commit/cached-run.ts';
import { entriesAbout } from '../journal/archive/entries-about.ts';
import { placeOfReady } from '../journal/seek-journal.ts';
import type { ActivationProjection } from './activation-projection.ts';
import { applyToProjection, beginProjection } from './activation-projection.ts';
import type { ActivationSource } from './activation-source.ts';

/*
 * Activations are numbered as they become ready, so a page of them begins somewhere in the journal and mostly ends
 * close by. The beginning is searched, and the journal is read from there until all activations of the page have
 * settled. An activation that is executing for long is not waited for: its status is in the state of the run. The
 * projection of the run at the beginning tells to which graphs and loops the activations belong.
 */

/**
 * Maximum number of events that are read for unsettled activations after all activations of the page have become ready.
 */
const maxFurtherEvents = 5000;

/** Part of the activations of a run: those after a number (0: from the first), at most `limit`. */
export interface ActivationRange {
  readonly after: number;
  readonly limit: number;
}

/** Activations as the journal describes them, and the run as it is now. */
export interface ReadActivations {
  readonly now: OpenRun;
  /** Position in the journal shortly before the first of them became ready. */
  readonly place: string;
  readonly projections: readonly ActivationProjection[];
  /** Ids of the events that settled them. */
  readonly ends: ReadonlyMap<ActivationId, string>;
}

/** Reads activations in the order in which they became ready; undefined when there is no such run. */
export async function readActivations(
  source: ActivationSource,
  run: RunId,
  { after, limit }: ActivationRange,
): Promise<ReadActivations | undefined> {
  const now = await source.runs.refresh(run);
  if (now === undefined) return undefined;
  const { store } = source;
  const place = await placeOfReady({ store, run, now }, `a${after + 1}`);
  const around = await source.runs.projection(run, place);
  if (around === undefined) return undefined;
  const ends = new Map<ActivationId, string>();
  const page: PageInProgress = { projections: new Map(), open: new Set(), ends, around, now, after, limit };
  const isFull = () => page.projections.size >= limit;
  let rest = maxFurtherEvents;
  // Parts of the journal that say nothing of those that are still open are not read.
  for await (const entry of entriesAbout({ store, run, now }, around.event, () => (isFull() ? page.open : undefined))) {
    applyEntry(page, entry);
    if (!isFull()) continue;
    rest -= 1;
    if (isComplete(page, rest)) break;
  }
  return { now, place, ends, projections: [...page.projections.values()] };
}

interface PageInProgress extends ActivationRange {
  readonly projections: Map<ActivationId, ActivationProjection>;
  /** Those that have not settled, so that an event costs the same on a page of any size. */
  readonly open: Set<ActivationId>;
  readonly ends: Map<ActivationId, string>;
  readonly around: RunProjection;
  readonly now: OpenRun;
}

const numberOf = (id: ActivationId): number => Number(id.slice(1));

function applyEntry({ projections, open, ends, around, now, after, limit }: PageInProgress, entry: JournalEntry): void {
  const { id, event, at } = entry;
  if (projections.size < limit) project(around, entry);
  if (!('activation' in event)) return;
  const projection = projections.get(event.activation);
  if (projection !== undefined) {
    applyToProjection(projection, entry);
    if (projection.settledAt !== undefined || projection.last === 'dropped') {
      open.delete(event.activation);
      ends.set(event.activation, id);
    }
  } else if (event.type === 'activation.ready' && projections.size < limit && numberOf(event.activation) > after) {
    const graph = around.scopes.get(event.scope)?.graph ?? '';
    const node = now.plan.graphs.get(graph)?.nodes[event.node]?.id ?? '';
    const iteration = iterationIn(around, event.scope);
    const place = { graph, node, scope: event.scope, ...(iteration === undefined ? {} : { iteration }) };
    projections.set(event.activation, beginProjection(at, event, place));
    open.add(event.activation);
  }
}

/** Returns the iteration of the innermost loop around a scope; undefined outside of loops. */
function iterationIn({ scopes }: RunProjection, scope: string): number | undefined {
  for (let record = scopes.get(scope); record !== undefined; record = scopes.get(record.parent ?? ''))
    if (record.type === 'cycle') return record.iteration;
  return undefined;
}

/** Returns whether the page is complete: activations that have not settled take long, or settle further on. */
function isComplete({ open, now: { state } }: PageInProgress, rest: number): boolean {
  if (open.size === 0) return true;
  if (rest >= 0) return false;
  for (const id of open) if (state.get(`activation/${id}`) === undefined) return false;
  return true;
}
