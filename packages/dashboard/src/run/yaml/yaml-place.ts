/** Place in the text of a workflow that an address names. */
export interface YamlPlace {
  /** Path of the node whose lines are marked. */
  readonly n?: string;
  readonly view?: 'text' | 'changes';
}

/** Returns the place that the query of an address describes. */
export const parseYamlPlace = ({ n, view }: Readonly<Record<string, unknown>>): YamlPlace => ({
  ...(typeof n === 'string' || typeof n === 'number' ? { n: String(n) } : {}),
  ...(view === 'changes' ? { view } : {}),
});

/** Returns the place in the graph of a node that is named by its path: the key of its graph, and its id there. */
export function placeOfPath(path: string): { g?: string; n: string } {
  const at = path.lastIndexOf('/');
  return at < 0 ? { n: path } : { g: path.slice(0, at), n: path.slice(at + 1) };
}
