/** Where a value stands in a document: the keys and indices that lead to it. */
export type Path = readonly (string | number)[];

/** The path as people read it, e.g. `graph.nodes[2].config.provider`; empty for the whole document. */
export function formatPath(path: Path): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (!/^[\w-]+$/.test(segment)) text += `[${JSON.stringify(segment)}]`;
    else text += text === '' ? segment : `.${segment}`;
  }
  return text;
}
