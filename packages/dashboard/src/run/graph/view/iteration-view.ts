import type { RunEvent } from '@millrace/client';
import type { CycleProjection, RunProjection } from '@millrace/core/projection';
import { beginRunProjection, project } from '@millrace/core/projection';
import { nodeKeyOf } from './run-graph.ts';

/** Activity in one iteration of a loop. */
export interface IterationView {
  /** Places of the nodes that became due in it. */
  readonly nodes: ReadonlySet<string>;
  /** Places of the edges that passed something on in it. */
  readonly edges: ReadonlySet<string>;
}

/** A loop, by the key of its graph and the indices of its nodes. */
interface Loop {
  readonly graph: string;
  readonly members: readonly number[];
}

/** Returns the events of an iteration of the newest execution of a loop. */
export function iterationViewOf(events: readonly RunEvent[], loop: Loop, iteration: number): IterationView {
  const projection = beginRunProjection();
  let scope: string | undefined;
  let view = { nodes: new Set<string>(), edges: new Set<string>() };
  for (const entry of events) {
    const { event } = entry;
    const before = 'activation' in event ? projection.live.get(event.activation) : undefined;
    project(projection, entry);
    if (event.type === 'cycle.entered' && isEntered(projection, event, loop)) {
      scope = event.scope;
      view = { nodes: new Set(), edges: new Set() };
    }
    const one = before ?? ('activation' in event ? projection.live.get(event.activation) : undefined);
    const isInIteration =
      one !== undefined && cycleOf(projection, loop)?.iteration === iteration && isWithin(projection, one.scope, scope);
    if (isInIteration) note(view, event, one.graph, one.node);
  }
  return view;
}

type Event = RunEvent['event'];
type CycleEntry = Extract<Event, { readonly type: 'cycle.entered' }>;

const isEntered = ({ scopes }: RunProjection, { scope, members }: CycleEntry, loop: Loop): boolean =>
  isSame(members, loop) && scopes.get(scope)?.graph === loop.graph;

function note(
  {
    nodes,
    edges,
  }: {
    readonly nodes: Set<string>;
    readonly edges: Set<string>;
  },
  event: Event,
  graph: string,
  node: number,
): void {
  if (event.type === 'activation.ready') nodes.add(nodeKeyOf(graph, node));
  if (event.type !== 'activation.completed') return;
  for (const { edge, dropped } of event.routes) if (edge >= 0 && dropped !== true) edges.add(nodeKeyOf(graph, edge));
}

const isSame = (members: readonly number[], loop: Loop): boolean => members.join() === loop.members.join();

const cycleOf = ({ graphs }: RunProjection, loop: Loop): CycleProjection | undefined =>
  graphs.get(loop.graph)?.cycles.find(({ members }) => isSame(members, loop));

function isWithin({ scopes }: RunProjection, scope: string, outer: string | undefined): boolean {
  for (let at: string | undefined = scope; at !== undefined && outer !== undefined; at = scopes.get(at)?.parent)
    if (at === outer) return true;
  return false;
}
