import type { Document, Pair, Scalar, YAMLMap } from 'yaml';
import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import type { Path } from './path.ts';
import { scalarText } from './scalar-text.ts';
import type { Graph, Node, Workflow } from './workflow.ts';

/** A node of a workflow: the key of its graph, empty for the root graph, and its id. */
export interface NodeRef {
  readonly graph: string;
  readonly node: string;
}

/**
 * Returns the text of a workflow with other values in the configuration of one of its nodes; all else stays as it is
 * written. Undefined when the text itself does not contain the node: it is part of another file, or was expanded from one.
 */
export function withNodeConfig(
  text: string,
  ref: NodeRef,
  values: Readonly<Record<string, string>>,
): string | undefined {
  if (configIn(text, ref) === undefined) return undefined;
  return Object.entries(values).reduce((written, [name, value]) => {
    const found = configIn(written, ref);
    return found === undefined ? written : withField(written, found, { name, value });
  }, text);
}

/** Configuration of a node in a document. */
interface ConfigLocation {
  readonly document: Document;
  readonly path: Path;
}

function configIn(text: string, { graph, node }: NodeRef): ConfigLocation | undefined {
  const document = parseDocument(text, { version: '1.1', logLevel: 'error' });
  const outer = graph === '' ? [] : graph.split('/');
  let path: Path | undefined = ['graph'];
  for (const id of outer) {
    const found: Path | undefined = path && nodeIn(document, path, id);
    path = found && [...found, 'config', 'config'];
  }
  const found = path && nodeIn(document, path, node);
  return found && { document, path: [...found, 'config'] };
}

/** Returns the path of a node in the graph at a path; undefined when there is none. */
function nodeIn(document: Document, graph: Path, id: string): Path | undefined {
  const nodes = document.getIn([...graph, 'nodes']);
  if (!isSeq(nodes)) return undefined;
  const at = nodes.items.findIndex((item) => isMap(item) && String(item.get('id')) === id);
  return at < 0 ? undefined : [...graph, 'nodes', at];
}

interface Field {
  readonly name: string;
  readonly value: string;
}

/** Returns a text with another value of one field, of which nothing else is rewritten where that is possible. */
function withField(text: string, { document, path }: ConfigLocation, field: Field): string {
  const config = document.getIn(path);
  const first = isMap(config) ? config.items[0] : undefined;
  if (!isMap(config) || first === undefined) return rewritten(document, path, field);
  const pair = config.items.find(({ key }) => isScalar(key) && key.value === field.name);
  const column = columnOf(text, first);
  if (column === undefined) return rewritten(document, path, field);
  const value = scalarText(field.value, config.flow === true ? undefined : column);
  if (pair === undefined) return inserted(text, config, { ...field, value });
  const range = isPlainScalar(pair.value) ? pair.value.range : undefined;
  if (range == null) return rewritten(document, path, field);
  const [from, to] = range;
  const end = text.slice(from, to).endsWith('\n') ? '\n' : '';
  return `${text.slice(0, from)}${value}${end}${text.slice(to)}`;
}

/** Anchors and tags precede a value, and would remain. */
const isPlainScalar = (value: unknown): value is Scalar =>
  isScalar(value) && value.anchor === undefined && value.tag === undefined;

/** Returns the text with a field before the others of a mapping. */
function inserted(text: string, config: YAMLMap, { name, value }: Field): string {
  const start = startOf(config.items[0]) ?? 0;
  const column = start - (text.lastIndexOf('\n', start - 1) + 1);
  const between = config.flow === true ? ', ' : `\n${' '.repeat(column)}`;
  return `${text.slice(0, start)}${name}: ${value}${between}${text.slice(start)}`;
}

const startOf = (pair: Pair | undefined): number | undefined =>
  isScalar(pair?.key) ? (pair.key.range?.[0] ?? undefined) : undefined;

function columnOf(text: string, pair: Pair): number | undefined {
  const start = startOf(pair);
  return start === undefined ? undefined : start - (text.lastIndexOf('\n', start - 1) + 1);
}

/** Returns the whole document rewritten; comments and order stay. */
function rewritten(document: Document, path: Path, { name, value }: Field): string {
  document.setIn([...path, name], value);
  return document.toString({ lineWidth: 0 });
}

/** System prompt and model of a node that asks a model. */
export interface ModelSettings {
  /** Empty: none. */
  readonly prompt: string;
  readonly model: string;
}

/** Returns the system prompt and the model in the configuration of a node; undefined for a node that asks no model. */
export function modelSettingsOf(config: unknown): ModelSettings | undefined {
  if (typeof config !== 'object' || config === null || !('provider' in config)) return undefined;
  const { role, name } = config as { readonly role?: unknown; readonly name?: unknown };
  return { prompt: typeof role === 'string' ? role : '', model: typeof name === 'string' ? name : '' };
}

/** Returns the fields of a node's configuration that hold settings. */
export const configOf = ({ prompt, model }: Partial<ModelSettings>): Readonly<Record<string, string>> => ({
  ...(prompt === undefined ? {} : { role: prompt }),
  ...(model === undefined ? {} : { name: model }),
});

/** Returns a workflow with other settings of one node, whichever file the node was read from. */
export const withModelSettings = (workflow: Workflow, ref: NodeRef, settings: Partial<ModelSettings>): Workflow => ({
  ...workflow,
  graph: changedGraph(workflow.graph, { key: '', ref, settings }),
});

interface Change {
  /** Key of the graph. */
  readonly key: string;
  readonly ref: NodeRef;
  readonly settings: Partial<ModelSettings>;
}

function changedGraph(graph: Graph, change: Change): Graph {
  const changed = (node: Node): Node => {
    if (change.key === change.ref.graph && node.id === change.ref.node)
      return { ...node, config: { ...(node.config as object), ...configOf(change.settings) } }; // asks a model, so it has fields
    const key = change.key === '' ? node.id : `${change.key}/${node.id}`;
    return node.graph === undefined ? node : { ...node, graph: changedGraph(node.graph, { ...change, key }) };
  };
  return { ...graph, nodes: graph.nodes.map(changed) };
}
