import type { RunHandle } from '@millrace/client';
import type { PartBefore } from '../../timeline/load-rows-before.ts';
import { firstPartBefore, loadRows, partBefore } from '../../timeline/load-rows-before.ts';
import type { TimelineRow } from '../../timeline/timeline-row.ts';
import type { RunGraph } from '../run-graph.ts';
import { placeOf } from '../run-graph.ts';
import type { TurnView } from './turn-view.ts';

/** Turn of a loop that is looked for. */
export interface WantedTurn {
  readonly graph: RunGraph;
  /** Indices of the nodes of the loop. */
  readonly members: readonly number[];
  readonly turn: number;
  /** Newest activation of the run. */
  readonly newest: string;
}

/** Finds the events of a turn of the newest execution of a loop, backwards through the activations of a run. */
export async function loadTurn(run: RunHandle, { graph, members, turn, newest }: WantedTurn): Promise<TurnView> {
  const ids = new Set(members.flatMap((member) => graph.nodes[member]?.id ?? []));
  let found: readonly TimelineRow[] = [];
  for (let part: PartBefore | undefined = firstPartBefore(newest); part !== undefined; part = partBefore(part)) {
    const rows = (await loadRows(run, part)).filter((row) => row.graph === graph.key && ids.has(row.node));
    found = rows.filter((row) => row.turn === turn).concat(found);
    // Turns follow each other: an earlier turn ends the search.
    if (rows.some((row) => row.turn !== undefined && row.turn < turn)) break;
  }
  const [first, last] = [found[0], found.at(-1)];
  if (first === undefined || last === undefined) return { nodes: new Set(), edges: new Set() };
  return { nodes: new Set(found.map((row) => nodePlace(graph, row))), edges: await passedIn(run, graph, found) };
}

const nodePlace = ({ key, nodes }: RunGraph, { node }: TimelineRow): string =>
  placeOf(
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
      for (const { edge, met } of routes) if (met) edges.add(placeOf(key, edge));
    }
    cursor = page.nextCursor;
  }
  return edges;
}
