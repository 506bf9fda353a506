/** A directed graph over the names of nodes. */
export type Successors = (node: string) => readonly string[];

/** Everything that can be reached from a node, by at least one step. */
function reachable(from: string, successors: Successors): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [from];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const next of successors(node)) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(next);
    }
  }
  return found;
}

/** Nodes that go round together, or one node alone. */
export interface Group {
  readonly members: readonly string[];
  readonly cycle: boolean;
}

/** The nodes grouped by the cycles they are in, in order of each group's first node. */
export function groupsOf(nodes: readonly string[], successors: Successors): readonly Group[] {
  const reach = new Map(nodes.map((node) => [node, reachable(node, successors)]));
  const together = (a: string, b: string) => reach.get(a)?.has(b) === true && reach.get(b)?.has(a) === true;
  const groups: Group[] = [];
  const placed = new Set<string>();
  for (const node of nodes) {
    if (placed.has(node)) continue;
    const members = nodes.filter((other) => other === node || together(node, other));
    for (const member of members) placed.add(member);
    groups.push({ members, cycle: reach.get(node)?.has(node) === true });
  }
  return groups;
}

/** The groups level by level; what leads into a group with a root in it does not hold it back. */
export function levelsOf(
  groups: readonly Group[],
  successors: Successors,
  roots: ReadonlySet<string>,
): readonly (readonly Group[])[] {
  const groupOf = new Map(groups.flatMap((group) => group.members.map((node) => [node, group] as const)));
  const predecessors = new Map(groups.map((group) => [group, new Set<Group>()]));
  for (const group of groups) {
    for (const to of group.members.flatMap((member) => successors(member))) {
      const target = groupOf.get(to);
      if (target !== undefined && target !== group && !target.members.some((member) => roots.has(member))) {
        predecessors.get(target)?.add(group);
      }
    }
  }
  const levels: Group[][] = [];
  const placed = new Set<Group>();
  const ready = (group: Group) =>
    !placed.has(group) && [...(predecessors.get(group) ?? [])].every((earlier) => placed.has(earlier));
  for (let level = groups.filter(ready); level.length > 0; level = groups.filter(ready)) {
    levels.push(level);
    for (const group of level) placed.add(group);
  }
  return levels;
}
