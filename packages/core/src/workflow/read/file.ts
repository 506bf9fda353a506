import { reportControlCharacters } from '../document/control-characters.ts';
import type { SourceDocument } from '../document/document.ts';
import { reportInfiniteNumbers } from '../document/finite-numbers.ts';
import { isMapping } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import { formatPath } from '../document/path.ts';
import type { LocatedValue, ReadContext, SharedReadContext } from '../elements/read-context.ts';
import { readFields } from '../elements/read-context.ts';
import { WorkflowSchema } from '../schema/document-schemas.ts';
import { substituteGraph } from '../variables/substitute.ts';
import type { ResolvedText, VariableScope } from '../variables/variable-scope.ts';
import { isFullyResolved } from '../variables/variables.ts';

/** A file with its variables replaced, and its graph as written. */
export interface OpenFile {
  readonly reading: ReadContext;
  readonly version: string;
  readonly graph: LocatedValue;
}

/** Options for opening a file: on its own with the caller's variables, or from the file that includes it. */
export interface OpenFileOptions {
  readonly shared: SharedReadContext;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly includer?: ReadContext;
}

/** Parses a file and replaces its variables; undefined if it has no graph. */
export function openFile(
  document: SourceDocument,
  { shared, variables, includer }: OpenFileOptions,
): OpenFile | undefined {
  const { report, value: root } = document;
  if (!isMapping(root)) {
    const message = root === null ? 'The file is empty' : 'The file must be a mapping with the field "graph"';
    report.add('E_ROOT_NOT_MAPPING', { path: [], message, hint: 'Write the nodes and edges under "graph".' });
    return undefined;
  }
  const isBare = includer !== undefined && !('graph' in root);
  const { version: ownVersion, vars: ownVars, ...bareGraph } = root;
  const top = isBare ? { version: ownVersion, vars: ownVars, graph: bareGraph } : root;
  const unresolved = new Set<string>();
  const scope = scopeOf(document, { own: { ...mappingOf(top.vars), ...variables }, shared, includer });
  const context: ReadContext = {
    shared,
    document,
    scope,
    unresolved,
    chain: [...(includer?.chain ?? []), document.file],
  };
  shared.opened.push(context);
  const written = readFields(context, WorkflowSchema, { value: top, path: [] });
  if (!isMapping(written.graph)) {
    const message =
      written.graph === undefined || written.graph === null ? 'There is no graph' : 'A graph is a mapping';
    report.add('E_GRAPH_MISSING', { path: ['graph'], message, hint: 'Write the nodes and edges under "graph".' });
    return undefined;
  }
  const path = isBare ? [] : ['graph'];
  const value = substituteGraph(written.graph, path, {
    scope,
    vocabulary: shared.vocabulary,
    report(at, resolution) {
      if (!isFullyResolved(resolution)) unresolved.add(formatPath(at));
      reportResolution(context, at, resolution);
    },
  });
  reportControlCharacters(value, path, document.report);
  reportInfiniteNumbers(value, path, document.report);
  return { reading: context, version: written.version || '0.0.0', graph: { value, path } };
}

interface Variables {
  readonly own: Readonly<Record<string, unknown>>;
  readonly shared: SharedReadContext;
  readonly includer: ReadContext | undefined;
}

function scopeOf(document: SourceDocument, { own, shared, includer }: Variables): VariableScope {
  const scope = {
    own,
    environment: shared.environment,
    taken: shared.taken,
    compat: shared.compat,
    used: new Set<string>(),
    usedInSecrets: new Set<string>(),
    budget: shared.budget,
    resolved: new Map(),
    nodes: new Map(),
    isFloat: (name: string) => document.isFloat(['vars', name]),
  };
  return includer === undefined ? scope : { ...scope, parent: includer.scope };
}

const mappingOf = (value: unknown): Readonly<Record<string, unknown>> => (isMapping(value) ? value : {});

const tooLargeMessage = 'The variables used here expand to too much text, or refer to each other more than 1,000 deep';

function reportResolution({ shared, document }: ReadContext, path: Path, resolution: ResolvedText): void {
  const { report } = document;
  const { missing, withheld = [], escaped = [], tooLarge } = resolution;
  if (tooLarge) {
    report.add('E_VARIABLES_TOO_LARGE', { path, message: tooLargeMessage });
    return;
  }
  const unresolved = shared.mode === 'run' ? 'E_VARIABLE_UNRESOLVED' : 'W_VARIABLE_UNRESOLVED';
  for (const name of new Set(missing)) {
    const message = `The variable "${name}" has no value`;
    const hint = `Set ${name} in "vars", with the run, or in the environment; write $\${${name}} for the text itself.`;
    report.add(unresolved, { path, message, hint });
  }
  for (const [name, reason] of new Map(withheld.map((one) => [one.name, one.reason]))) {
    if (reason === 'secret') {
      const message = `The variable "${name}" of the environment is a secret, which no text may contain`;
      const hint = `Write \${${name}} in api_key, headers or env, or pass a value with --var ${name}=….`;
      report.add('E_VARIABLE_SECRET', { path, message, hint });
    } else {
      const message = `The variable "${name}" belongs to the machine, so it has no value here`;
      const hint = `Write \`vars: {${name}: \${${name}}}\` to use it, or $\${${name}} for the text itself.`;
      report.add(unresolved, { path, message, hint });
    }
  }
  for (const name of new Set(escaped)) {
    const message = `$\${${name}} is the text \${${name}}, not the value of "${name}"`;
    report.add('W_VARIABLE_ESCAPED', { path, message, hint: `Write \${${name}} for its value.` });
  }
}
