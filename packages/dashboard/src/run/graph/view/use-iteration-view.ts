import type { RunHandle } from '@millrace/client';
import type { RunProjection } from '@millrace/core/projection';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { PartBefore, TimelineRow } from '../../../activations/timeline-row.ts';
import { firstPartBefore, loadRows, partBefore } from '../../../activations/timeline-row.ts';
import { millrace } from '../../../api/millrace.ts';
import { eventsUpTo } from '../../follow/place.ts';
import { useGraphSearch } from '../../follow/use-graph-search.ts';
import { useJournal } from '../../follow/use-journal.ts';
import type { GraphView } from './graph-view.ts';
import type { IterationView } from './iteration-view.ts';
import { iterationViewOf } from './iteration-view.ts';
import type { LoopView } from './loop-view.ts';
import type { RunGraph } from './run-graph.ts';
import { nodeKeyOf } from './run-graph.ts';

/** Returns the events of the iteration in the address; undefined without one, or while it is loaded. */
export function useIterationView(
  run: string,
  {
    view,
    projection,
  }: {
    readonly view: GraphView | undefined;
    readonly projection: RunProjection | undefined;
  },
): IterationView | undefined {
  const [{ iteration, loop, at }] = useGraphSearch();
  const { data } = useJournal(run);
  const picked =
    iteration === undefined ? undefined : view?.loops.find(({ name }) => loop === undefined || name === loop);
  const served = useServedIteration(run, { view, picked, iteration, isWanted: data?.isWhole === false });
  const folded = useMemo(() => {
    if (iteration === undefined || picked === undefined || data?.isWhole !== true || projection === undefined)
      return undefined;
    const loop = { graph: view?.graph.key ?? '', members: picked.members };
    return iterationViewOf(data.events.slice(0, eventsUpTo(data.events, at)), loop, iteration);
  }, [iteration, picked, view, data, at, projection]);
  return folded ?? served;
}

/** Loads an iteration of a run whose journal is too long to be kept. */
function useServedIteration(
  run: string,
  {
    view,
    picked,
    iteration,
    isWanted,
  }: {
    readonly view: GraphView | undefined;
    readonly picked: LoopView | undefined;
    readonly iteration: number | undefined;
    readonly isWanted: boolean;
  },
): IterationView | undefined {
  const newest = newestIn(view, picked);
  const { data } = useQuery({
    queryKey: ['run', run, 'iteration', picked?.place, iteration],
    queryFn: (): Promise<IterationView | null> => {
      if (view === undefined || picked === undefined || iteration === undefined || newest === undefined)
        return Promise.resolve(null);
      return loadIteration(millrace.runs.get(run), { graph: view.graph, members: picked.members, iteration, newest });
    },
    enabled: isWanted && picked !== undefined && iteration !== undefined,
  });
  return iteration === undefined ? undefined : (data ?? undefined);
}

/** Returns the newest activation of the nodes of a loop. */
function newestIn(view: GraphView | undefined, picked: LoopView | undefined): string | undefined {
  const ids = picked?.members.flatMap((member) => view?.nodes[member]?.last ?? []) ?? [];
  return ids.sort((one, other) => Number(other.slice(1)) - Number(one.slice(1)))[0];
}

/** Iteration of a loop that is looked for. */
interface WantedIteration {
  readonly graph: RunGraph;
  /** Indices of the nodes of the loop. */
  readonly members: readonly number[];
  readonly iteration: number;
  /** Newest activation of the run. */
  readonly newest: string;
}

/** Finds the events of an iteration of the newest execution of a loop, backwards through the activations of a run. */
async function loadIteration(
  run: RunHandle,
  { graph, members, iteration, newest }: WantedIteration,
): Promise<IterationView> {
  const ids = new Set(members.flatMap((member) => graph.nodes[member]?.id ?? []));
  let found: readonly TimelineRow[] = [];
  for (let part: PartBefore | undefined = firstPartBefore(newest); part !== undefined; part = partBefore(part)) {
    const rows = (await loadRows(run, part)).filter((row) => row.graph === graph.key && ids.has(row.node));
    found = rows.filter((row) => row.iteration === iteration).concat(found);
    // Iterations follow each other: an earlier iteration ends the search.
    if (rows.some((row) => row.iteration !== undefined && row.iteration < iteration)) break;
  }
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return { nodes: new Set(), edges: new Set() };
  return { nodes: new Set(found.map((row) => nodePlace(graph, row))), edges: await passedIn(run, graph, found) };
}

const nodePlace = ({ key, nodes }: RunGraph, { node }: TimelineRow): string =>
  nodeKeyOf(
    key,
    nodes.findIndex(({ id }) => id === node),
  );

/** Activations of a page. */
const pageSize = 200;

/** Returns the edges that the outputs of activations went over. */
async function passedIn(run: RunHandle, { key }: RunGraph, rows: readonly TimelineRow[]): Promise<ReadonlySet<string>> {
  const wanted = new Set(rows.map(({ id }) => id));
  const edges = new Set<string>();
  let cursor: string | null = `a${Number(rows[0]?.id.slice(1)) - 1}`;
  while (wanted.size > 0 && cursor !== null) {
    const page: Awaited<ReturnType<ReturnType<RunHandle['activations']>['page']>> = await run
      .activations({ limit: pageSize })
      .page(cursor);
    for (const { id, routes = [] } of page.data) {
      if (!wanted.delete(id)) continue;
      for (const { edge, met } of routes) if (met) edges.add(nodeKeyOf(key, edge));
    }
    cursor = page.nextCursor;
  }
  return edges;
}
