import { stronglyConnected } from '../workflow/checks/strongly-connected.ts';
import type { GraphPlan } from './plan.ts';

/** A member of a cycle's level: a node, or an inner cycle as a whole. */
export interface SweepMember {
  /** Its lowest node, which is its position among its siblings. */
  readonly position: number;
  readonly nodes: readonly number[];
  readonly inner: boolean;
}

/** Order in which the members of a cycle are executed that was entered at `entry`. */
export interface Sweep {
  readonly contains: (node: number) => boolean;
  readonly memberOf: (node: number) => SweepMember | undefined;
  /** Returns the levels of one sweep; edges into the roots do not hold the roots back. */
  readonly levels: (roots: readonly number[]) => readonly (readonly SweepMember[])[];
}

const sweeps = new WeakMap<GraphPlan, WeakMap<readonly number[], Map<number, Sweep>>>();

/** Returns the sweep of these members from this entry; cached as long as the plan and the list of members exist. */
export function sweepOf(graph: GraphPlan, members: readonly number[], entry: number): Sweep {
  const ofGraph = sweeps.get(graph) ?? new WeakMap<readonly number[], Map<number, Sweep>>();
  sweeps.set(graph, ofGraph);
  const ofMembers = ofGraph.get(members) ?? new Map<number, Sweep>();
  ofGraph.set(members, ofMembers);
  const known = ofMembers.get(entry);
  if (known !== undefined) return known;
  const sweep = createSweep(graph, members, entry);
  ofMembers.set(entry, sweep);
  return sweep;
}

function createSweep(graph: GraphPlan, nodes: readonly number[], entry: number): Sweep {
  const indices = new Map(nodes.map((node, at) => [node, at]));
  const successors = nodes.map((node) => triggeredBy(graph, node).filter((target) => indices.has(target)));
  const members = membersOf(nodes, successors, { indices, entry });
  const memberOf = new Map(members.flatMap((member) => member.nodes.map((node) => [node, member] as const)));
  const following = new Map(members.map((member) => [member, successorsOf(member, { successors, indices, memberOf })]));
  const known = new Map<string, readonly (readonly SweepMember[])[]>();
  return {
    contains: (node) => indices.has(node),
    memberOf: (node) => memberOf.get(node),
    levels(roots) {
      const key = roots.join();
      const levels = known.get(key) ?? levelsOf(members, following, new Set(roots.map((root) => memberOf.get(root))));
      known.set(key, levels);
      return levels;
    },
  };
}

const triggeredBy = (graph: GraphPlan, node: number): number[] =>
  (graph.nodes[node]?.out ?? []).flatMap((index) => {
    const edge = graph.edges[index];
    return edge?.trigger ? [edge.to] : [];
  });

/**
 * Returns the members of a sweep. Inner cycles are those that remain when no edge leads back to the entry; a node with
 * an edge to itself is one, too.
 */
function membersOf(
  nodes: readonly number[],
  successors: readonly (readonly number[])[],
  { indices, entry }: { indices: ReadonlyMap<number, number>; entry: number },
): SweepMember[] {
  const indexOf = (node: number) => indices.get(node) ?? 0;
  const inward = successors.map((targets) => targets.filter((target) => target !== entry).map(indexOf));
  return stronglyConnected(nodes.length, (at) => inward[at] ?? [])
    .map((component): SweepMember => {
      const inside = component.map((at) => nodes[at] ?? 0).sort((a, b) => a - b);
      const first = component[0] ?? 0;
      return {
        position: inside[0] ?? 0,
        nodes: inside,
        inner: component.length > 1 || (inward[first] ?? []).includes(first),
      };
    })
    .sort((a, b) => a.position - b.position);
}

interface Adjacency {
  readonly successors: readonly (readonly number[])[];
  readonly indices: ReadonlyMap<number, number>;
  readonly memberOf: ReadonlyMap<number, SweepMember>;
}

function successorsOf(member: SweepMember, { successors, indices, memberOf }: Adjacency): ReadonlySet<SweepMember> {
  const result = new Set<SweepMember>();
  for (const node of member.nodes) {
    for (const target of successors[indices.get(node) ?? 0] ?? []) {
      const other = memberOf.get(target);
      if (other !== undefined && other !== member) result.add(other);
    }
  }
  return result;
}

function levelsOf(
  members: readonly SweepMember[],
  following: ReadonlyMap<SweepMember, ReadonlySet<SweepMember>>,
  roots: ReadonlySet<SweepMember | undefined>,
): readonly (readonly SweepMember[])[] {
  const waiting = new Map(members.map((member) => [member, 0]));
  for (const successors of following.values()) {
    for (const member of successors) waiting.set(member, (waiting.get(member) ?? 0) + 1);
  }
  for (const member of members) if (roots.has(member)) waiting.set(member, 0);
  const levels: SweepMember[][] = [];
  let level = members.filter((member) => waiting.get(member) === 0);
  while (level.length > 0) {
    levels.push(level);
    // The count of a root goes below zero when its predecessors are placed, so no member is placed twice.
    level = level
      .flatMap((member) => [...(following.get(member) ?? [])])
      .filter((member) => {
        const left = (waiting.get(member) ?? 0) - 1;
        waiting.set(member, left);
        return left === 0;
      })
      .sort((a, b) => a.position - b.position);
  }
  return levels;
}
