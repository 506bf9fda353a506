import type { Failure, Picture, Wait } from '../../fold/picture.ts';
import { placeOf, stateOf } from '../../fold/picture.ts';
import { stateAtEnd } from '../../has-ended.ts';
import type { RunGraph, RunNode } from '../run-graph.ts';

/** A node with everything that its picture shows. */
export interface NodeView extends Omit<RunNode, 'usage' | 'waitsFor' | 'status'> {
  readonly status: RunNode['status'] | 'cancelled';
  /** Key of its graph. */
  readonly key: string;
  /** Key in the picture of several graphs. */
  readonly place: string;
  readonly microUsd: number;
  readonly tokens: number;
  /** Turn of the innermost loop that it is part of. */
  readonly turn?: number;
  readonly waitsFor?: RunNode['waitsFor'] | Wait;
  /** Beginning of its last output. */
  readonly said?: string;
  /** The error of its failed activation. */
  readonly failure?: Failure;
}

/** Returns a node of a run that has ended: nothing executes or waits any more. */
export function nodeAtEnd(node: NodeView): NodeView {
  const { waitsFor: _over, units, ...rest } = node;
  const status = stateAtEnd(node.status);
  return {
    ...rest,
    ...(units === undefined ? {} : { units: { ...units, live: 0 } }),
    status,
    live: status === 'cancelled' ? 0 : node.live,
  };
}

/** Returns the nodes of a graph as of a picture; without one, as of the server's response. */
export function nodeViewsOf(graph: RunGraph, picture: Picture | undefined): readonly NodeView[] {
  const turns = picture === undefined ? undefined : turnsByNode(graph.key, picture);
  const waits = picture === undefined ? undefined : waitsByPlace(picture, graph.key);
  return graph.nodes.map((node, index) => {
    const place = placeOf(graph.key, index);
    const { usage, waitsFor: _served, units: _counted, last: _before, ...facts } = node;
    const money = {
      microUsd: usage?.microUsd ?? 0,
      tokens: (usage?.promptTokens ?? 0) + (usage?.completionTokens ?? 0),
    };
    if (picture === undefined) return { ...node, ...money, key: graph.key, place };
    const turn = turns?.get(index);
    const waitsFor = waits?.get(index);
    return {
      ...facts,
      ...factsOf(node, picture, place),
      key: graph.key,
      place,
      ...(turn === undefined ? {} : { turn }),
      ...(waitsFor === undefined ? {} : { waitsFor }),
    };
  });
}

function factsOf({ counter, timer, graph }: RunNode, picture: Picture, place: string) {
  const known = picture.nodes.get(place);
  const { status, runs, live } = stateOf(picture, place);
  const isOpen = known !== undefined && known.openCalls + known.openUnits > 0;
  return {
    status: isOpen && live === 0 ? statusInside(picture, graph) : status,
    runs,
    live,
    activations: known?.activations ?? 0,
    microUsd: known?.microUsd ?? 0,
    tokens: known?.tokens ?? 0,
    ...(known?.newest === undefined ? {} : { last: known.newest }),
    ...(known?.said === undefined ? {} : { said: known.said }),
    ...(known?.failure === undefined || status !== 'failed' ? {} : { failure: known.failure }),
    ...(counter === undefined ? {} : { counter: { ...counter, value: known?.counter ?? 0 } }),
    ...(timer === undefined ? {} : { timer: { limitMs: timer.limitMs, emitted: false, ...known?.timer } }),
    ...unitsOf(known),
  };
}

const attention: readonly NodeView['status'][] = ['failed', 'waiting', 'working', 'ready'];

/** Returns the status of a node with a graph inside it: of all live activations there, the status that needs attention first. */
function statusInside({ live }: Picture, graph: string | undefined): NodeView['status'] {
  const states = new Set<NodeView['status']>();
  for (const one of live.values())
    if (graph !== undefined && (one.graph === graph || one.graph.startsWith(`${graph}/`))) states.add(one.state);
  return attention.find((state) => states.has(state)) ?? 'working';
}

function unitsOf(known: ReturnType<Picture['nodes']['get']>): Pick<NodeView, 'units'> {
  if (known?.units === undefined) return {};
  const { total, started, completed } = known.units;
  const { failed } = known.live;
  const live = known.openUnits === 0 ? 0 : Math.max(0, started - completed - failed);
  return { units: { total, completed, failed, live } };
}

/** Returns the wait of each node that waits: of several activations, of the one that has waited longest. */
function waitsByPlace({ live }: Picture, graph: string): ReadonlyMap<number, Wait> {
  const waits = new Map<number, Wait>();
  for (const one of live.values()) {
    if (one.waitsFor === undefined || one.graph !== graph) continue;
    const known = waits.get(one.node);
    if (known === undefined || one.waitsFor.since < known.since) waits.set(one.node, one.waitsFor);
  }
  return waits;
}

/** Returns the turn of the innermost loop of each node that is part of one. */
function turnsByNode(graph: string, { cycles }: Picture): ReadonlyMap<number, number> {
  const turns = new Map<number, number>();
  const own = [...cycles.values()].filter((cycle) => cycle.graph === graph);
  // Inner loops have fewer nodes: they come last and win.
  own.sort((one, other) => other.members.length - one.members.length);
  for (const { members, turn } of own) for (const member of members) turns.set(member, turn);
  return turns;
}
