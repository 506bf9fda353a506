/**
 * Returns the strongly connected components of a graph whose nodes are `0 … size − 1`, in reverse topological order (a
 * component comes after all that it leads to), with the members of each in ascending order.
 */
export function stronglyConnected(size: number, successors: (node: number) => readonly number[]): number[][] {
  const search: Search = { order: [], low: [], open: new Set(), waiting: [], components: [], found: 0 };
  for (let root = 0; root < size; root++) {
    if (search.order[root] === undefined) visitFrom(root, successors, search);
  }
  return search.components;
}

/**
 * State of Tarjan's algorithm: the order in which nodes were found, the earliest open node that each leads to, and the
 * open nodes.
 */
interface Search {
  readonly order: number[];
  readonly low: number[];
  readonly open: Set<number>;
  readonly waiting: number[];
  readonly components: number[][];
  found: number;
}

interface Frame {
  readonly node: number;
  readonly successors: readonly number[];
  next: number;
}

/** Uses its own stack: a chain of thousands of nodes would exhaust the call stack. */
function visitFrom(root: number, successors: (node: number) => readonly number[], search: Search): void {
  const enter = (node: number): Frame => {
    search.order[node] = search.low[node] = search.found++;
    search.waiting.push(node);
    search.open.add(node);
    return { node, successors: successors(node), next: 0 };
  };
  const stack: Frame[] = [enter(root)];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const successor = frame.successors[frame.next++];
    if (successor === undefined) {
      close(frame.node, search);
      stack.pop();
      const parent = stack.at(-1);
      if (parent !== undefined) lower(parent.node, search.low[frame.node], search);
    } else if (search.order[successor] === undefined) stack.push(enter(successor));
    else if (search.open.has(successor)) lower(frame.node, search.order[successor], search);
  }
}

function lower(node: number, to: number | undefined, { low }: Search): void {
  if (to !== undefined) low[node] = Math.min(low[node] ?? to, to);
}

function close(node: number, { order, low, open, waiting, components }: Search): void {
  if (low[node] !== order[node]) return;
  const members = waiting.splice(waiting.lastIndexOf(node));
  for (const member of members) open.delete(member);
  components.push(members.sort((a, b) => a - b));
}
