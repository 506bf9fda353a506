import type { z } from 'zod';
import type { NodeModel, Vocabulary } from '../../definitions/define.ts';
import type { ReadLimits } from '../../definitions/workflow-limits.ts';
import type { Issue, Position } from '../../model/errors.ts';
import type { SourceDocument, SourceFile } from '../document/document.ts';
import { isMapping } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import { formatPath } from '../document/path.ts';
import { nearestOf } from '../document/suggest.ts';
import { schemaProblems } from '../schema/schema-problems.ts';
import type { UnknownKey } from '../schema/unknown-keys.ts';
import { unknownKeys } from '../schema/unknown-keys.ts';
import type { Environment } from '../variables/environment.ts';
import type { VariableScope } from '../variables/variable-scope.ts';

/** A model that a node asks, with the place of the node's configuration. */
export interface LocatedModel extends Omit<NodeModel, 'path'>, Position {
  readonly file: string;
  /** Path of the configuration in the document. */
  readonly path: string;
  readonly paramPositions: Readonly<Record<string, Position>>;
}

/** Data that all files of one workflow share. */
export interface SharedReadContext {
  readonly vocabulary: Vocabulary;
  readonly compat: boolean;
  readonly mode: 'check' | 'run';
  readonly issues: Issue[];
  readonly environment: Environment;
  /** Names of the variables of the environment that texts use. */
  readonly taken: Set<string>;
  readonly readFile?: (path: string, from: string) => SourceFile | undefined;
  /** The models that nodes ask, in the order of reading. */
  readonly models: LocatedModel[];
  /** The files read so far; their variables are checked at the end. */
  readonly opened: ReadContext[];
  /** Remainders of the limits of the workflow. */
  readonly budget: { characters: number; graphs: number; nodes: number; edges: number };
  readonly limits: ReadLimits;
  /** Places that a schema refuses only because a variable has no value; the workflow is then incomplete. */
  readonly gaps: Set<string>;
}

/** One file of a workflow while it is read. */
export interface ReadContext {
  readonly shared: SharedReadContext;
  readonly document: SourceDocument;
  readonly scope: VariableScope;
  /** Places whose variables have no value, so that the type of their value is unknown. */
  readonly unresolved: ReadonlySet<string>;
  /** The files that lead to this one, which is the last. */
  readonly chain: readonly string[];
  /** Unknown keys are errors here, because ignoring them would change the meaning. */
  readonly strict?: true;
}

/** A value, and its path in the document. */
export interface LocatedValue {
  readonly value: unknown;
  readonly path: Path;
  /** The author wrote a short form: all parts of the value have the same place. */
  readonly whole?: true;
  /** Files whose values are parts of the value. */
  readonly included?: readonly { readonly path: Path; readonly document: SourceDocument }[];
}

/** Parses a value by its schema and reports the problems; undefined if the value is invalid. */
export function readBySchema<T>(
  context: ReadContext,
  schema: z.ZodType<T>,
  located: LocatedValue,
): { value: T } | undefined {
  const { value, path } = located;
  const { report } = context.document;
  for (const unknown of unknownKeys(schema, value, path)) reportUnknownKey(context, unknown);
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  for (const { code, ...problem } of schemaProblems(result.error.issues, value, path)) {
    if (isUnresolved(context, problem.path)) continue;
    report.add(code, located.whole ? { ...problem, path } : problem);
  }
  return undefined;
}

function reportUnknownKey({ document, strict, shared }: ReadContext, { path, known }: UnknownKey): void {
  const key = String(path.at(-1));
  const hint = hintFor(key, known) ?? (strict ? `Known keys: ${known.join(', ')}.` : undefined);
  // The original engine ignores all keys that it does not know.
  if (strict && !shared.compat)
    document.report.add('E_KEY_UNKNOWN', { path, atKey: true, message: `"${key}" is not known here`, hint });
  else
    document.report.add('W_KEY_UNKNOWN', {
      path,
      atKey: true,
      message: `"${key}" is not known here and has no effect`,
      hint,
    });
}

/** Returns whether a value is unknown because a variable has no value, so that its problems mean nothing. */
export function isUnresolved({ unresolved, shared, document }: ReadContext, path: Path): boolean {
  const text = formatPath(path);
  if (!unresolved.has(text)) return false;
  shared.gaps.add(`${document.file} ${text}`);
  return true;
}

/** Like {@link readBySchema}, but invalid fields are left out of the result, so that the others can be read. */
export function readFields<Shape extends z.ZodRawShape>(
  context: ReadContext,
  schema: z.ZodObject<Shape>,
  located: LocatedValue,
): Partial<z.output<z.ZodObject<Shape>>> {
  const read = readBySchema(context, schema, located);
  if (read !== undefined) return read.value;
  if (!isMapping(located.value)) return {};
  const invalid = new Set(schema.safeParse(located.value).error?.issues.map((issue) => issue.path[0]));
  const rest = Object.fromEntries(Object.entries(located.value).filter(([key]) => !invalid.has(key)));
  // The remaining fields were each accepted, and partial() lets the others be absent.
  return schema.partial().safeParse(rest).data as Partial<z.output<z.ZodObject<Shape>>>;
}

/** Keys of other tools and of older documents, with the keys that are meant. */
const MISTAKES: Readonly<Record<string, string>> = {
  source: 'from',
  target: 'to',
  model: 'name',
  prompt: 'role',
  system_prompt: 'role',
  prompt_template: 'role',
  separator: 'delimiter',
  regex: 'pattern',
  path: 'json_path',
  parallel: 'max_parallel',
  concurrency: 'max_parallel',
  max_concurrency: 'max_parallel',
};

function hintFor(key: string, known: readonly string[]): string | undefined {
  // Keys have no spaces: this is the rest of a text.
  if (/\s/.test(key)) return 'Put the text in quotes: a comma ends it within { }.';
  const mistaken = Object.hasOwn(MISTAKES, key) ? MISTAKES[key] : undefined;
  const meant = mistaken !== undefined && known.includes(mistaken) ? mistaken : nearestOf(key, known);
  if (meant !== undefined) return `Did you mean "${meant}"?`;
  return known.includes('type') && known.includes('config') ? 'Settings belong under "config".' : undefined;
}
