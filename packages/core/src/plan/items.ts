import { omitUndefined } from '../model/omit-undefined.ts';
import { stronglyConnected } from '../workflow/checks/strongly-connected.ts';
import type { Item, PlanEdge } from './plan.ts';

/**
 * Folds the cycles of a graph into items and orders them by (level, lowest node), where a level is the length of the
 * longest path from a source. Edges that only carry data count: a target waits for everything that can still reach it.
 */
export function planItems(
  size: number,
  edges: readonly PlanEdge[],
  start: readonly number[],
): { items: readonly Item[]; itemOf: readonly number[] } {
  const out: number[][] = Array.from({ length: size }, () => []);
  const selfLoops = new Set<number>();
  for (const edge of edges) {
    out[edge.from]?.push(edge.to);
    if (edge.from === edge.to) selfLoops.add(edge.from);
  }
  const components = stronglyConnected(size, (node) => out[node] ?? []);
  const links = linksOf(components, out);
  const order = orderedByLevel(components, links);
  const rank = new Map(order.map((component, at) => [component, at]));
  const rankOf = (component: number) => rank.get(component) ?? 0;
  const items = order.map((component, index): Item => {
    const members = components[component] ?? [];
    const entry = start.find((node) => members.includes(node));
    return omitUndefined({
      index,
      members,
      cycle: members.length > 1 || members.some((node) => selfLoops.has(node)),
      predecessors: links.predecessors[component]?.size ?? 0,
      successors: [...(links.successors[component] ?? [])].map(rankOf).sort((a, b) => a - b),
      entry,
    });
  });
  const itemOf: number[] = [];
  for (const item of items) for (const node of item.members) itemOf[node] = item.index;
  return { items, itemOf };
}

interface Links {
  readonly predecessors: readonly Set<number>[];
  readonly successors: readonly Set<number>[];
}

function linksOf(components: readonly number[][], out: readonly number[][]): Links {
  const componentOf: number[] = [];
  components.forEach((members, at) => {
    for (const node of members) componentOf[node] = at;
  });
  const predecessors = components.map(() => new Set<number>());
  const successors = components.map(() => new Set<number>());
  out.forEach((targets, node) => {
    const from = componentOf[node] ?? 0;
    for (const target of targets) {
      const to = componentOf[target] ?? 0;
      if (from === to) continue;
      successors[from]?.add(to);
      predecessors[to]?.add(from);
    }
  });
  return { predecessors, successors };
}

function orderedByLevel(components: readonly number[][], { predecessors, successors }: Links): number[] {
  const waiting = predecessors.map((set) => set.size);
  const lowest = (component: number) => components[component]?.[0] ?? 0;
  const order: number[] = [];
  let level = waiting.flatMap((count, component) => (count === 0 ? [component] : []));
  while (level.length > 0) {
    level.sort((a, b) => lowest(a) - lowest(b));
    const next: number[] = [];
    for (const component of level) {
      order.push(component);
      for (const successor of successors[component] ?? []) {
        waiting[successor] = (waiting[successor] ?? 0) - 1;
        if (waiting[successor] === 0) next.push(successor);
      }
    }
    level = next;
  }
  return order;
}
