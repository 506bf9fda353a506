interface Frame {
  readonly node: number;
  readonly successors: readonly number[];
  next: number;
}

/**
 * The strongly connected components of a graph whose nodes are `0 … size − 1`, in reverse topological order (a component
 * stands after all that it leads to), the members of each ascending.
 */
export function stronglyConnected(size: number, successors: (node: number) => readonly number[]): number[][] {
  const order = new Array<number>(size).fill(-1);
  const low = new Array<number>(size).fill(-1);
  const open = new Array<boolean>(size).fill(false);
  const waiting: number[] = [];
  const components: number[][] = [];
  let visited = 0;

  const enter = (node: number): Frame => {
    order[node] = low[node] = visited++;
    waiting.push(node);
    open[node] = true;
    return { node, successors: successors(node), next: 0 };
  };
  const lower = (node: number, to: number | undefined): void => {
    low[node] = Math.min(low[node] ?? to ?? 0, to ?? 0);
  };
  const close = (node: number): void => {
    if (low[node] !== order[node]) return;
    const members = waiting.splice(waiting.lastIndexOf(node));
    for (const member of members) open[member] = false;
    components.push(members.sort((a, b) => a - b));
  };

  for (let root = 0; root < size; root++) {
    if (order[root] !== -1) continue;
    // An explicit stack: a chain of thousands of nodes must not exhaust the call stack.
    const stack: Frame[] = [enter(root)];
    for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
      const successor = frame.successors[frame.next++];
      if (successor === undefined) {
        close(frame.node);
        stack.pop();
        const parent = stack.at(-1);
        if (parent !== undefined) lower(parent.node, low[frame.node]);
      } else if (order[successor] === -1) stack.push(enter(successor));
      else if (open[successor]) lower(frame.node, order[successor]);
    }
  }
  return components;
}
