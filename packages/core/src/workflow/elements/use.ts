import type { NodeDefinition, NodeModel, Vocabulary } from '../../definitions/define.ts';
import type { ConfigProblem } from '../../definitions/definition.ts';
import type { IssueCode } from '../document/issue-codes.ts';
import { isMapping } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import { formatPath } from '../document/path.ts';
import { didYouMean } from '../document/suggest.ts';
import type { Use } from '../document/workflow.ts';
import { UseSchema } from '../schema/document-schemas.ts';
import type { LocatedValue, ReadContext } from './read-context.ts';
import { readBySchema, readFields } from './read-context.ts';

/** Kind of definition that an edge names. */
interface Kind {
  readonly registry: 'conditions' | 'processors' | 'splitters';
  readonly noun: string;
  readonly unknown: IssueCode;
}

/** Kinds of definitions that an edge names. */
export const kinds = {
  condition: { registry: 'conditions', noun: 'condition', unknown: 'E_CONDITION_TYPE_UNKNOWN' },
  processor: { registry: 'processors', noun: 'processor', unknown: 'E_PROCESSOR_TYPE_UNKNOWN' },
  splitter: { registry: 'splitters', noun: 'split', unknown: 'E_SPLIT_TYPE_UNKNOWN' },
} as const satisfies Record<string, Kind>;

/** The part of a definition that reading needs. */
type Configurable = Pick<NodeDefinition, 'type' | 'config' | 'check' | 'models'>;

/** Reads `{type, config}`; undefined if it is invalid. */
export function readUse(context: ReadContext, kind: Kind, located: LocatedValue): Use | undefined {
  const { report } = context.document;
  const written = readFields(context, UseSchema, located);
  if (written.type === undefined) return undefined;
  const definition = definitionOf(context.shared.vocabulary, kind, written.type);
  if (definition === undefined) {
    const known = [...context.shared.vocabulary[kind.registry].keys()];
    report.add(kind.unknown, {
      path: [...located.path, 'type'],
      message: `There is no ${kind.noun} of type "${written.type}"`,
      hint: didYouMean(written.type, known) ?? `Known types: ${known.join(', ')}.`,
    });
    return undefined;
  }
  const path = [...located.path, 'config'];
  if (written.config === undefined || written.config === null) {
    if (kind.registry === 'splitters') return readConfigured(context, definition, { value: {}, path });
    report.add('E_FIELD_MISSING', { path, message: `A ${kind.noun} needs a "config"` });
    return undefined;
  }
  return readConfigured(context, definition, { value: written.config, path });
}

/** Reads a definition that the author wrote in a short form, all at one place. */
export function readShortUse(
  context: ReadContext,
  kind: Kind,
  short: LocatedValue & { readonly type: string },
): Use | undefined {
  const definition = definitionOf(context.shared.vocabulary, kind, short.type);
  if (definition !== undefined) return readConfigured(context, definition, { ...short, whole: true });
  context.document.report.add(kind.unknown, {
    path: short.path,
    message: `There is no ${kind.noun} of type "${short.type}" in this installation`,
  });
  return undefined;
}

/** Parses a configuration and lets the definition check it; undefined if it is invalid. */
export function readConfigured(context: ReadContext, definition: Configurable, located: LocatedValue): Use | undefined {
  const read = readBySchema(context, definition.config, located);
  if (read === undefined) return undefined;
  for (const problem of definition.check?.(read.value) ?? []) {
    const path = located.whole ? located.path : [...located.path, ...problem.path];
    const file = located.included?.find((included) => isBelow(included.path, path));
    if (file === undefined) addProblem(context, problem, path);
    else addProblem({ ...context, document: file.document }, problem, path.slice(file.path.length));
  }
  noteModels(context, definition, { value: read.value, path: located.path });
  return { type: definition.type, config: read.value };
}

/** Returns whether a path leads through another one. */
const isBelow = (above: Path, path: Path): boolean => above.every((key, at) => path[at] === key);

function noteModels(context: ReadContext, { models }: Configurable, { value, path }: LocatedValue): void {
  for (const { path: within, sharesProvider = false, ...asked } of models?.(value) ?? []) {
    const at = [...path, ...within];
    if (!sharesProvider) checkProvider(context, asked, [...at, 'provider']);
    noteModel(context, asked, at);
  }
}

function checkProvider(
  { document, shared, unresolved }: ReadContext,
  { provider }: Pick<NodeModel, 'provider'>,
  path: Path,
): void {
  const known = shared.vocabulary.providers;
  // A variable without a value names no provider yet.
  if (known.has(provider) || unresolved.has(formatPath(path))) return;
  document.report.add('W_PROVIDER_UNKNOWN', {
    path,
    message: `There is no model provider "${provider}", so a run that asks the model fails`,
    hint: didYouMean(provider, known.keys()) ?? `Providers: ${[...known.keys()].join(', ')}.`,
  });
}

function noteModel(
  { document, shared, unresolved }: ReadContext,
  asked: Omit<NodeModel, 'path' | 'sharesProvider'>,
  at: Path,
): void {
  // A variable without a value names no model yet.
  if (unresolved.has(formatPath([...at, 'name']))) return;
  const { line, column } = document.at([...at, 'name'], 'value');
  const paramPositions = Object.fromEntries(
    Object.keys(asked.params).map((name) => [name, document.at([...at, 'params', name], 'key')]),
  );
  shared.models.push({ ...asked, file: document.file, path: formatPath(at), line, column, paramPositions });
}

/** Adds a problem that a definition found. In the original engine, an unknown function lets everything pass. */
function addProblem(context: ReadContext, problem: ConfigProblem, path: Path): void {
  const { report } = context.document;
  const { code, severity, message, hint } = problem;
  if (code === 'E_FUNCTION_UNKNOWN' && context.shared.compat) {
    report.add('W_FUNCTION_UNKNOWN', { path, message: `${message}; it lets everything pass`, hint });
  } else report.addForeign(code, severity, { path, message, hint });
}

function definitionOf(vocabulary: Vocabulary, kind: Kind, type: string): Configurable | undefined {
  return vocabulary[kind.registry].get(type);
}

/** Returns whether a condition is the function with that name. */
export const isFunction = (use: Use, name: string): boolean =>
  use.type === 'function' && isMapping(use.config) && use.config.name === name;
