import { oneOf, searchOf, text } from '../../kit/values/search.ts';

/** What an address names of the text of a workflow. */
export const parseYamlSearch = searchOf({
  /** Path of the node whose lines are marked. */
  n: text,
  view: oneOf('changes'),
});

/** Returns what names the node of a path in the graph: the key of its graph, and its id there. */
export function graphSearchOf(path: string): { g?: string; n: string } {
  const at = path.lastIndexOf('/');
  return at < 0 ? { n: path } : { g: path.slice(0, at), n: path.slice(at + 1) };
}
