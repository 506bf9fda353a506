import type { NodeDefinition } from '../../definitions/define.ts';
import { isMapping } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import type { ProblemReporter } from '../document/report.ts';
import { quotedList } from '../document/suggest.ts';
import type { Edge, Graph, Node } from '../document/workflow.ts';
import { isNever } from '../elements/edge.ts';
import { exitsOf } from '../elements/scopes.ts';
import { stronglyConnected } from './strongly-connected.ts';

/** A graph by the indices of its nodes. */
interface Adjacency {
  readonly all: readonly (readonly number[])[];
  readonly triggering: readonly (readonly number[])[];
}

interface Loop {
  readonly members: readonly number[];
  readonly isMember: ReadonlySet<number>;
}

/** Checks that every loop has a single start and an end, and that loop guards are placed where they have an effect. */
export function checkLoops(checked: CheckedGraph): void {
  const indexed = indexEdges(checked);
  const loops = stronglyConnected(checked.nodes.length, (node) => indexed.all[node] ?? [])
    .filter((members) => members.length > 1 || members.some((node) => indexed.all[node]?.includes(node)))
    .map((members): Loop => ({ members, isMember: new Set(members) }));
  for (const loop of loops) {
    checkStarts(checked, loop);
    checkExit(checked, loop, indexed);
    for (const member of loop.members)
      if (isGuard(checked, member)) checkGuard(checked, { loop, guard: member, indexed });
  }
  const inLoops = new Set(loops.flatMap(({ members }) => members));
  checked.nodes.forEach(({ node, path }, index) => {
    if (!isGuard(checked, index) || inLoops.has(index)) return;
    const message = `The loop guard "${node.id}" has no edge back into a loop, so it guards nothing`;
    const hint = 'Lead an edge from it to the first node of the loop.';
    checked.report.add('W_GUARD_OUTSIDE_LOOP', { path, message, hint });
  });
}

function indexEdges({ graph, nodes }: CheckedGraph): Adjacency {
  const index = new Map(nodes.map(({ node }, position) => [node.id, position]));
  const all: number[][] = nodes.map(() => []);
  const triggering: number[][] = nodes.map(() => []);
  for (const edge of graph.edges) {
    const [from, to] = [index.get(edge.from), index.get(edge.to)];
    if (from === undefined || to === undefined) continue;
    all[from]?.push(to);
    if (canTrigger(edge)) triggering[from]?.push(to);
  }
  return { all, triggering };
}

const isGuard = ({ nodes }: CheckedGraph, index: number): boolean => nodes[index]?.definition?.traits?.guard === true;

const leaves = (indexed: Adjacency, { isMember }: Loop, node: number): boolean =>
  indexed.triggering[node]?.some((target) => !isMember.has(target)) ?? false;

function nameList({ nodes }: CheckedGraph, { members }: Loop): string {
  return quotedList(members.flatMap((member) => nodes[member]?.node.id ?? []));
}

function checkStarts({ graph, nodes, path, report }: CheckedGraph, { members }: Loop): void {
  const ids = new Set(members.map((member) => nodes[member]?.node.id));
  const starts = graph.start.filter((id) => ids.has(id));
  if (starts.length < 2) return;
  report.add('E_CYCLE_TWO_STARTS', {
    path: [...path, 'start'],
    message: `The start nodes ${quotedList(starts)} lie in one loop`,
    hint: 'Name only the one where the loop begins.',
  });
}

function checkExit(checked: CheckedGraph, loop: Loop, indexed: Adjacency): void {
  const { graph, nodes, report } = checked;
  const path = nodes[loop.members[0] ?? 0]?.path ?? checked.path;
  const ids = loop.members.flatMap((member) => nodes[member]?.node.id ?? []);
  const names = nameList(checked, loop);
  const stops = exitsOf(graph.scopes ?? []).some(
    ({ from, to }) => !ids.includes(to) && from.some((id) => ids.includes(id)),
  );
  const leadsOn = stops || (graph.termination?.exit_to ?? []).length > 0;
  const givesResult = leadsOn || ids.some((id) => graph.end.includes(id));
  if (!givesResult && !loop.members.some((member) => leaves(indexed, loop, member))) {
    const message = `No triggering edge leads out of the loop of ${names}`;
    const hint = 'Lead an edge with a condition out of it, or name one of its nodes under "end".';
    report.add('W_LOOP_WITHOUT_EXIT', { path, message, hint });
  }
  const endsItself = (member: number) =>
    nodes[member]?.definition?.traits?.waits === true || (isGuard(checked, member) && leaves(indexed, loop, member));
  const limit = iterationLimitOf(checked, ids);
  if (limit === 'unlimited' || loop.members.some(endsItself)) return;
  report.add('W_LOOP_UNGUARDED', {
    path,
    message: `Nothing ends the loop of ${names} for certain; it is cut after ${limit} rounds`,
    hint: 'Add a loop_counter, or set "max_iterations" of the graph.',
  });
}

/**
 * Returns the limit of iterations of a loop that nothing in it ends; a termination that covers it removes the limit.
 */
function iterationLimitOf({ graph, compat }: CheckedGraph, ids: readonly string[]): number | 'unlimited' {
  if (compat) return 100;
  const enclosing = (graph.scopes ?? [])
    .filter(({ nodes }) => ids.every((id) => nodes.includes(id)))
    .sort((a, b) => a.nodes.length - b.nodes.length);
  if (graph.termination !== undefined || enclosing.some(({ termination }) => termination !== undefined))
    return 'unlimited';
  return (
    enclosing.find(({ maxIterations }) => maxIterations !== undefined)?.maxIterations ?? graph.maxIterations ?? 100
  );
}

interface GuardInLoop {
  readonly loop: Loop;
  readonly guard: number;
  readonly indexed: Adjacency;
}

function checkGuard(checked: CheckedGraph, { loop, guard, indexed }: GuardInLoop): void {
  const entry = checked.nodes[guard];
  if (entry === undefined) return;
  const { node, path } = entry;
  // If it has two edges, one of them may lead out of an inner loop.
  if (!leaves(indexed, loop, guard) && (indexed.all[guard]?.length ?? 0) < 2) {
    const message = `The loop guard "${node.id}" has no edge out of its loop, so it cannot end it`;
    const hint = 'Lead an edge from it to the node that comes after the loop.';
    checked.report.add('W_GUARD_WITHOUT_EXIT', { path, message, hint });
  }
  // A guard has no output before its limit, unless it passes messages through, so the loop needs another edge back.
  const isSilent = !(isMapping(node.config) && node.config.passthrough === true);
  if (!isSilent || continuesWithout(loop, guard, indexed)) return;
  const message = `Nothing but the loop guard "${node.id}" continues its loop, so the first round is the last one`;
  const hint = 'Lead an edge from another node of the loop back to its beginning.';
  checked.report.add('W_GUARD_ALONE', { path, message, hint });
}

function continuesWithout({ members, isMember }: Loop, guard: number, { triggering }: Adjacency): boolean {
  const position = new Map(members.map((member, index) => [member, index]));
  const inside = (index: number) => {
    const member = members[index];
    if (member === undefined || member === guard) return [];
    const targets = triggering[member]?.filter((target) => isMember.has(target) && target !== guard) ?? [];
    return targets.flatMap((target) => position.get(target) ?? []);
  };
  return stronglyConnected(members.length, inside).some(
    ([first = -1, ...others]) => others.length > 0 || inside(first).includes(first),
  );
}

/** A graph as read, with the data that its checks need. */
export interface CheckedGraph {
  readonly graph: Graph;
  readonly path: Path;
  readonly report: ProblemReporter;
  readonly compat: boolean;
  /** In the order of the graph's nodes. */
  readonly nodes: readonly {
    readonly node: Node;
    readonly path: Path;
    readonly definition?: NodeDefinition;
  }[];
}

/** Returns whether a message over the edge can make its target due. */
export const canTrigger = ({ trigger, condition }: Edge): boolean => trigger && !isNever(condition);
