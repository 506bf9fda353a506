/** The keys and indices that lead to a value in a document. */
export type Path = readonly (string | number)[];

/** Returns a path in readable form, e.g. `graph.nodes[2].config.provider`; empty for the whole document. */
export function formatPath(path: Path): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (!/^[\w-]+$/.test(segment)) text += `[${JSON.stringify(segment)}]`;
    else text += text === '' ? segment : `.${segment}`;
  }
  return text;
}
