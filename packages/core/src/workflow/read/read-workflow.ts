import type { Vocabulary } from '../../definitions/define.ts';
import { defaultReadLimits } from '../../definitions/workflow-limits.ts';
import type { Issue } from '../../model/errors.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import type { SourceDocument, SourceFile } from '../document/document.ts';
import { readDocument } from '../document/document.ts';
import { isMapping, toList } from '../document/mapping.ts';
import { ReadingEnded } from '../document/report.ts';
import type { Graph, Workflow } from '../document/workflow.ts';
import type { LocatedModel, LocatedValue, ReadContext, SharedReadContext } from '../elements/read-context.ts';
import { circleFrom } from '../variables/circles.ts';
import { createEnvironment } from '../variables/environment.ts';
import { maxExpandedChars } from '../variables/variables.ts';
import { openFile } from './file.ts';
import { readGraph } from './graph.ts';
import { initialReadBudget } from './subgraph.ts';

/** Options for reading a workflow. */
export interface ReadOptions {
  readonly vocabulary: Vocabulary;
  /** Values for variables; they win over those of the document. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Values for variables that nothing else defines; none for secrets and names of the machine, see {@link Environment}. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Names of variables of the environment that may be used although they look like secrets or belong to the machine. */
  readonly allowedEnvironment?: readonly string[];
  /** Returns the file of a subgraph by its path as written in the file `from`; undefined if it does not exist. */
  readonly readFile?: (path: string, from: string) => SourceFile | undefined;
  /** Overrides the field `compat` of the document. */
  readonly compat?: 'chatdev';
  /** `run` refuses variables without a value; `check` warns of them. */
  readonly mode: 'check' | 'run';
}

/** The workflow, if it has no errors, and all problems that were found. */
export interface ReadResult {
  readonly workflow?: Workflow;
  /** Names of the variables that the document declares, as far as it could be read. */
  readonly variables?: readonly string[];
  /** Names of the variables that are used in secret fields. */
  readonly secretVariables?: readonly string[];
  /** Names of the variables of the environment whose values texts use. */
  readonly environmentVariables?: readonly string[];
  /** The models that nodes ask, as far as they could be read. */
  readonly models?: readonly LocatedModel[];
  /** Budget and prices of the outermost graph. */
  readonly spending?: Pick<Graph, 'budget' | 'prices'>;
  /** Lines of the nodes, from 1: by `<node>`, or `<graph>/<node>` in a subgraph of the same file. */
  readonly lines?: Readonly<Record<string, number>>;
  /** Problems by file, in the order of the text. */
  readonly issues: readonly Issue[];
}

/** Reads a workflow document with the files of its subgraphs. Problems are returned, all at once, never thrown. */
export function readWorkflow(source: SourceFile, options: ReadOptions): ReadResult {
  const issues: Issue[] = [];
  const { workflow, ...rest } = readWhole(source, options, issues);
  const failed = issues.some(({ severity }) => severity === 'error');
  const sorted = sortedIssues(issues);
  return workflow === undefined || failed ? { ...rest, issues: sorted } : { ...rest, workflow, issues: sorted };
}

function readWhole(source: SourceFile, options: ReadOptions, issues: Issue[]): Omit<ReadResult, 'issues'> {
  try {
    const document = readDocument(source, issues);
    if (document === undefined) return {};
    return { ...readRoot(document, options, issues), variables: variableNames(document) };
  } catch (error) {
    if (error instanceof ReadingEnded) return {};
    throw error;
  }
}

const variableNames = ({ value }: SourceDocument): readonly string[] =>
  isMapping(value) && isMapping(value.vars) ? Object.keys(value.vars) : [];

function readRoot(document: SourceDocument, options: ReadOptions, issues: Issue[]): Omit<ReadResult, 'issues'> {
  const compat = options.compat ?? compatOf(document.value);
  const { limits = defaultReadLimits } = options.vocabulary;
  const models: LocatedModel[] = [];
  const shared: SharedReadContext = {
    vocabulary: options.vocabulary,
    mode: options.mode,
    compat: compat !== undefined,
    issues,
    models,
    environment: createEnvironment(options.environment ?? {}, options.allowedEnvironment),
    taken: new Set(),
    opened: [],
    gaps: new Set(),
    budget: { characters: maxExpandedChars, graphs: initialReadBudget(), ...limits },
    limits,
    ...omitUndefined({ readFile: options.readFile }),
  };
  const opened = openFile(document, { shared, ...(options.variables ? { variables: options.variables } : {}) });
  const graph = opened === undefined ? undefined : readGraph(opened.reading, opened.graph);
  for (const context of shared.opened) checkVariables(context);
  if (opened === undefined || graph === undefined) return {};
  const lines = nodeLines(document, opened.graph);
  const asked =
    models.length === 0 ? {} : { models, spending: omitUndefined({ budget: graph.budget, prices: graph.prices }) };
  const environmentVariables = [...shared.taken].sort();
  if (shared.gaps.size > 0) return { lines, ...asked, environmentVariables };
  const secretVariables = [...new Set(shared.opened.flatMap(({ scope }) => [...scope.usedInSecrets]))];
  const workflow = omitUndefined({ version: opened.version, compat, graph });
  return { workflow, ...asked, secretVariables, environmentVariables, lines };
}

const compatOf = (root: unknown): 'chatdev' | undefined =>
  isMapping(root) && isMapping(root.graph) && root.graph.compat === 'chatdev' ? 'chatdev' : undefined;

/** Reports cycles and unused variables of a file, after everything that may use them has been read. */
function checkVariables({ scope, document }: ReadContext): void {
  const reported = new Set<string>();
  for (const name of variableNames(document)) {
    if (reported.has(name)) continue;
    const path = ['vars', name];
    const circle = circleFrom(name, scope);
    if (circle !== undefined) {
      const message = `The variables refer to each other in a circle: ${circle.join(' → ')}`;
      document.report.add('E_VARIABLE_CYCLE', { path, message, hint: 'Give one of them a value of its own.' });
      for (const member of circle) reported.add(member);
    } else if (!scope.used.has(name)) {
      document.report.add('W_VARIABLE_UNUSED', { path, atKey: true, message: `The variable "${name}" is never used` });
    }
  }
}

/**
 * Sorts issues by file in the order of reading, then by position; a file that is included twice has its problems once, and so has a
 * number that the field it is written in refuses, too.
 */
function sortedIssues(issues: readonly Issue[]): readonly Issue[] {
  const files = [...new Set(issues.map(({ file }) => file))];
  const rank = new Map(files.map((file, index) => [file, index]));
  const unique = new Map(issues.map((issue) => [JSON.stringify(issue), issue]));
  const refused = new Set(issues.filter(({ code }) => code !== 'E_NUMBER_INVALID').map(placeOf));
  const shown = [...unique.values()].filter((one) => one.code !== 'E_NUMBER_INVALID' || !refused.has(placeOf(one)));
  return shown.sort(
    (a, b) => (rank.get(a.file) ?? 0) - (rank.get(b.file) ?? 0) || a.line - b.line || a.column - b.column,
  );
}

const placeOf = ({ file, path }: Issue): string => `${file} ${path}`;

/**
 * Returns the line of each node of a graph as written, from 1: by `<node>`, or `<graph>/<node>` in a subgraph of the same
 * file.
 */
const nodeLines = (document: SourceDocument, graph: LocatedValue): Readonly<Record<string, number>> =>
  Object.fromEntries(linesIn(document, graph, ''));

function linesIn(document: SourceDocument, { value, path }: LocatedValue, prefix: string): [string, number][] {
  if (!isMapping(value)) return [];
  const { nodes } = value;
  return toList(nodes).flatMap((node, index): [string, number][] => {
    if (!isMapping(node) || typeof node.id !== 'string') return [];
    const at = [...path, 'nodes', ...(Array.isArray(nodes) ? [index] : [])];
    const { line } = document.at(at, 'value');
    return [[`${prefix}${node.id}`, line], ...innerLines(document, { value: node, path: at }, `${prefix}${node.id}/`)];
  });
}

/** The graph of a subgraph that is written in the same file. */
function innerLines(document: SourceDocument, { value: node, path }: LocatedValue, prefix: string): [string, number][] {
  if (!isMapping(node) || !isMapping(node.config) || node.config.type !== 'config') return [];
  return linesIn(document, { value: node.config.config, path: [...path, 'config', 'config'] }, prefix);
}
