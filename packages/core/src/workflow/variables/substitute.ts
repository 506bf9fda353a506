import type { Vocabulary } from '../../definitions/define.ts';
import { isMapping, mapEntries } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import type { ResolvedText, VariableScope } from './variable-scope.ts';
import { isFullyResolved, resolveText } from './variables.ts';

/** Input of the replacement of variables in a graph, and a callback for those that cannot be replaced. */
export interface Substitution {
  readonly scope: VariableScope;
  readonly vocabulary: Vocabulary;
  /** Called for each text with a placeholder that cannot be replaced, or that is escaped and has a value. */
  report(path: Path, resolution: ResolvedText): void;
}

/** Parts of a path; `*` stands for any key or index. Everything below a secret is secret, too. */
type Pattern = readonly string[];

/** Returns a copy of a graph as written with its variables replaced; variables in secret fields stay references. */
export function substituteGraph(graph: unknown, path: Path, substitution: Substitution): unknown {
  if (!isMapping(graph)) return substitute(graph, { path, secrets: [] }, substitution);
  return mapEntries(graph, (key, value) => {
    const at = [...path, key];
    if (key === 'nodes') return eachOf(value, at, (node, place) => substituteNode(node, place, substitution));
    if (key === 'memory') return eachOf(value, at, (store, place) => substituteStore(store, place, substitution));
    return substitute(value, { path: at, secrets: [] }, substitution);
  });
}

function substituteNode(node: unknown, path: Path, substitution: Substitution): unknown {
  if (!isMapping(node)) return substitute(node, { path, secrets: [] }, substitution);
  const type = typeof node.type === 'string' ? resolveText(node.type, substitution.scope, false).value : node.type;
  const definition = typeof type === 'string' ? substitution.vocabulary.nodes.get(type) : undefined;
  const secrets = (definition?.secrets ?? []).map(patternOf);
  const inline =
    definition?.traits?.container === 'subgraph' && isMapping(node.config) && node.config.type === 'config';
  return mapEntries(node, (key, value) => {
    const at = [...path, key];
    if (key === 'config' && definition?.traits?.container === 'boss') return substituteBoss(value, at, substitution);
    if (key !== 'config') return substitute(value, { path: at, secrets: [] }, substitution);
    if (!inline || !isMapping(value)) return substitute(value, { path: at, secrets }, substitution);
    return mapEntries(value, (part, graph) =>
      part === 'config'
        ? substituteGraph(graph, [...at, part], substitution)
        : substitute(graph, { path: [...at, part], secrets: [] }, substitution),
    );
  });
}

/** Replaces variables in a boss, which holds nodes at many places; its controller is a node without a type. */
function substituteBoss(value: unknown, path: Path, substitution: Substitution): unknown {
  const { nodes } = substitution.vocabulary;
  if (!isMapping(value)) return substitute(value, { path, secrets: [] }, substitution);
  return mapEntries(value, (key, part) => {
    const at = [...path, key];
    if (isMapping(part) && typeof part.type === 'string' && nodes.has(part.type)) {
      return substituteNode(part, at, substitution);
    }
    if (!/^controller$/i.test(key)) return substituteBoss(part, at, substitution);
    const secrets = (nodes.get('controller')?.secrets ?? []).map((secret) => ['config', ...patternOf(secret)]);
    return substitute(part, { path: at, secrets }, substitution);
  });
}

function substituteStore(store: unknown, path: Path, substitution: Substitution): unknown {
  const { scope, vocabulary } = substitution;
  const written = isMapping(store) ? store.type : undefined;
  const type = typeof written === 'string' ? resolveText(written, scope, false).value : undefined;
  const definition = typeof type === 'string' ? vocabulary.memories.get(type) : undefined;
  const secrets = (definition?.secrets ?? []).map((secret) => ['config', ...patternOf(secret)]);
  return substitute(store, { path, secrets }, substitution);
}

function substitute(
  value: unknown,
  { path, secrets }: { readonly path: Path; readonly secrets: readonly Pattern[] },
  substitution: Substitution,
): unknown {
  if (typeof value === 'string') {
    const secret = secrets.some((pattern) => pattern.length === 0);
    const resolution = resolveText(value, substitution.scope, secret);
    if (!isFullyResolved(resolution) || resolution.escaped !== undefined) substitution.report(path, resolution);
    return resolution.value;
  }
  const below = (segment: string | number) => ({
    path: [...path, segment],
    secrets: secrets.flatMap((pattern) => rest(pattern, segment)),
  });
  if (Array.isArray(value)) return value.map((entry, index) => substitute(entry, below(index), substitution));
  if (!isMapping(value)) return value;
  return mapEntries(value, (key, entry) => substitute(entry, below(key), substitution));
}

function rest(pattern: Pattern, segment: string | number): readonly Pattern[] {
  const [head, ...tail] = pattern;
  if (head === undefined) return [pattern];
  return head === '*' || head === String(segment) ? [tail] : [];
}

/** Returns the parts of a path; `tooling[].config.headers` and `tooling.*.config.headers` mean the same. */
const patternOf = (secret: string): Pattern => secret.replaceAll(/\[\*?\]/g, '.*').split('.');

const eachOf = (value: unknown, path: Path, change: (entry: unknown, path: Path) => unknown): unknown =>
  Array.isArray(value) ? value.map((entry, index) => change(entry, [...path, index])) : change(value, path);
