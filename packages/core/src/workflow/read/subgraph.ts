import { readDocument } from '../document/document.ts';
import { isMapping, listOf } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import type { Placed, Reading } from '../elements/read-context.ts';
import { readFields, readWith } from '../elements/read-context.ts';
import { WrittenSubgraph, WrittenSubgraphFile } from '../schema/document-schemas.ts';
import { openFile } from './file.ts';

/** The graph of a subgraph node as written, and the file that it is in. */
export interface InnerGraph {
  readonly reading: Reading;
  readonly graph: Placed;
}

/** Graphs in one workflow; files that include each other many times over would otherwise grow without bound. */
const MAX_GRAPHS = 1000;

/** Finds the graph of a subgraph node; undefined when there is none, for the reason that is then among the issues. */
export function openSubgraph(reading: Reading, config: Placed): InnerGraph | undefined {
  if (!isMapping(config.value)) return undefined;
  const { shared, document } = reading;
  const written = readFields(reading, WrittenSubgraph, config);
  refuseVars(reading, { value: written.vars, path: [...config.path, 'vars'] });
  if (shared.budget.graphs-- <= 0) {
    const message = `The workflow contains more than ${MAX_GRAPHS} subgraphs`;
    if (shared.budget.graphs === -1) document.report.add('E_SUBGRAPH_LIMIT', { path: config.path, message });
    return undefined;
  }
  const inner = { value: written.config, path: [...config.path, 'config'] };
  if (written.type === 'file') return openIncluded(reading, inner);
  return written.type === 'config' ? openInline(reading, inner) : undefined;
}

/** The budget of a workflow before anything is read. */
export const graphBudget = (): number => MAX_GRAPHS;

/** Variables belong to documents; a graph has none of its own. */
export function refuseVars(reading: Reading, { value, path }: Placed): void {
  if (value === undefined || value === null || (isMapping(value) && Object.keys(value).length === 0)) return;
  const hint = 'Move them to the top of the document.';
  reading.document.report.add('E_VARS_MISPLACED', { path, atKey: true, message: '"vars" cannot stand here', hint });
}

function openInline(reading: Reading, graph: Placed): InnerGraph | undefined {
  const { report } = reading.document;
  if (!isMapping(graph.value)) {
    report.add('E_GRAPH_MISSING', { path: graph.path, message: 'The subgraph has no graph', hint: 'Write it here.' });
    return undefined;
  }
  for (const key of ['nodes', 'edges']) {
    const isNeeded = key === 'nodes' || listOf(graph.value.nodes).length > 1;
    if (key in graph.value || !isNeeded) continue;
    report.add('E_FIELD_MISSING', { path: [...graph.path, key], message: `The subgraph has no "${key}"` });
  }
  return { reading, graph };
}

function openIncluded(reading: Reading, placed: Placed): InnerGraph | undefined {
  const { shared, document, chain } = reading;
  const written = readWith(reading, WrittenSubgraphFile, { ...placed, value: placed.value ?? {} })?.value;
  if (written === undefined) return undefined;
  const path: Path = [...placed.path, 'path'];
  const source = shared.readFile?.(written.path, document.file);
  if (source === undefined) {
    const message = `The subgraph file "${written.path}" was not found`;
    const hint = 'The path counts from the folder of this file or of the workflows.';
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
  return included === undefined ? undefined : openFile(included, { shared, includer: reading });
}
