import { readDocument } from '../document/document.ts';
import { isMapping, toList } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import type { LocatedValue, ReadContext } from '../elements/read-context.ts';
import { readBySchema, readFields } from '../elements/read-context.ts';
import { SubgraphFileSchema, SubgraphSchema } from '../schema/document-schemas.ts';
import { openFile } from './file.ts';

/** The graph of a subgraph node as written, with the context of its file. */
export interface InnerGraph {
  readonly reading: ReadContext;
  readonly graph: LocatedValue;
}

/** Maximum number of graphs in one workflow; files that include each other could otherwise grow without bound. */
const MAX_GRAPHS = 1000;

/** Finds the graph of a subgraph node; undefined if there is none, with the reason among the issues. */
export function openSubgraph(context: ReadContext, config: LocatedValue): InnerGraph | undefined {
  if (!isMapping(config.value)) return undefined;
  const { shared, document } = context;
  const written = readFields(context, SubgraphSchema, config);
  rejectVars(context, { value: written.vars, path: [...config.path, 'vars'] });
  if (shared.budget.graphs-- <= 0) {
    const message = `The workflow contains more than ${MAX_GRAPHS} subgraphs`;
    if (shared.budget.graphs === -1) document.report.add('E_SUBGRAPH_LIMIT', { path: config.path, message });
    return undefined;
  }
  const inner = { value: written.config, path: [...config.path, 'config'] };
  if (written.type === 'file') return openIncluded(context, inner);
  return written.type === 'config' ? openInline(context, inner) : undefined;
}

/** Returns the number of graphs that a workflow may contain. */
export const initialReadBudget = (): number => MAX_GRAPHS;

/** Reports variables in a graph: they belong to the document. */
export function rejectVars(context: ReadContext, { value, path }: LocatedValue): void {
  if (value === undefined || value === null || (isMapping(value) && Object.keys(value).length === 0)) return;
  const hint = 'Move them to the top of the document.';
  const message = '"vars" is not allowed here';
  context.document.report.add('E_VARS_MISPLACED', { path, atKey: true, message, hint });
}

function openInline(context: ReadContext, graph: LocatedValue): InnerGraph | undefined {
  const { report } = context.document;
  if (!isMapping(graph.value)) {
    report.add('E_GRAPH_MISSING', { path: graph.path, message: 'The subgraph has no graph', hint: 'Write it here.' });
    return undefined;
  }
  for (const key of ['nodes', 'edges']) {
    const isNeeded = key === 'nodes' || toList(graph.value.nodes).length > 1;
    if (key in graph.value || !isNeeded) continue;
    report.add('E_FIELD_MISSING', { path: [...graph.path, key], message: `The subgraph has no "${key}"` });
  }
  return { reading: context, graph };
}

function openIncluded(context: ReadContext, located: LocatedValue): InnerGraph | undefined {
  const { shared, document, chain } = context;
  const written = readBySchema(context, SubgraphFileSchema, { ...located, value: located.value ?? {} })?.value;
  if (written === undefined) return undefined;
  const path: Path = [...located.path, 'path'];
  const source = shared.readFile?.(written.path, document.file);
  if (source === undefined) {
    const message = `The subgraph file "${written.path}" was not found`;
    const hint = 'The path is relative to the folder of this file or of the workflows.';
    document.report.add('E_SUBGRAPH_NOT_FOUND', { path, message, hint });
    return undefined;
  }
  if (chain.includes(source.file)) {
    const circle = [...chain.slice(chain.indexOf(source.file)), source.file].join(' → ');
    const hint = 'Use a loop inside one graph to repeat something.';
    document.report.add('E_SUBGRAPH_RECURSION', { path, message: `The subgraph contains itself: ${circle}`, hint });
    return undefined;
  }
  const included = readDocument(source, shared.issues);
  return included === undefined ? undefined : openFile(included, { shared, includer: context });
}
