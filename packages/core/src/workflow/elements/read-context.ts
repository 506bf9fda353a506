import type { z } from 'zod';
import type { Vocabulary } from '../../definitions/define.ts';
import type { ReadLimits } from '../../definitions/workflow-limits.ts';
import type { Issue } from '../../model/errors.ts';
import type { SourceDocument, SourceFile } from '../document/document.ts';
import { isMapping } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import { formatPath } from '../document/path.ts';
import { nearestOf } from '../document/suggest.ts';
import { schemaProblems } from '../schema/schema-problems.ts';
import type { UnknownKey } from '../schema/unknown-keys.ts';
import { unknownKeys } from '../schema/unknown-keys.ts';
import type { VariableScope } from '../variables/variables.ts';

/** What all files of one workflow have in common. */
export interface SharedReadContext {
  readonly vocabulary: Vocabulary;
  readonly compat: boolean;
  readonly mode: 'check' | 'run';
  readonly issues: Issue[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readFile?: (path: string, from: string) => SourceFile | undefined;
  /** The files read so far, for what can only be said of their variables at the end. */
  readonly opened: ReadContext[];
  /** What is left of what the workflow may have. */
  readonly budget: { characters: number; graphs: number; nodes: number; edges: number };
  readonly limits: ReadLimits;
  /** Places that a schema refuses only because a variable has no value yet; the workflow is not complete. */
  readonly gaps: Set<string>;
}

/** One file of a workflow while it is read. */
export interface ReadContext {
  readonly shared: SharedReadContext;
  readonly document: SourceDocument;
  readonly scope: VariableScope;
  /** Places whose variables have no value, so that their value says nothing about its type. */
  readonly unresolved: ReadonlySet<string>;
  /** The files that lead to this one, itself last. */
  readonly chain: readonly string[];
  /** Keys that are not known are errors here, because something else would be done without them. */
  readonly strict?: true;
}

/** A value and where it stands. */
export interface LocatedValue {
  readonly value: unknown;
  readonly path: Path;
  /** The author wrote a short form: all of the value stands at the one place. */
  readonly whole?: true;
}

/** Reads a value by its schema and reports what is wrong; undefined when it cannot be used. */
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

/** Whether a value is unknown for want of a variable, so that what is wrong with it says nothing. */
export function isUnresolved({ unresolved, shared, document }: ReadContext, path: Path): boolean {
  const place = formatPath(path);
  if (!unresolved.has(place)) return false;
  shared.gaps.add(`${document.file} ${place}`);
  return true;
}

/** Like {@link readBySchema}, but what is wrong is left out of the result, so that the rest can be looked at too. */
export function readFields<Shape extends z.ZodRawShape>(
  context: ReadContext,
  schema: z.ZodObject<Shape>,
  located: LocatedValue,
): Partial<z.output<z.ZodObject<Shape>>> {
  const read = readBySchema(context, schema, located);
  if (read !== undefined) return read.value;
  if (!isMapping(located.value)) return {};
  const wrong = new Set(schema.safeParse(located.value).error?.issues.map((issue) => issue.path[0]));
  const rest = Object.fromEntries(Object.entries(located.value).filter(([key]) => !wrong.has(key)));
  // What is left was accepted field by field, and partial() lets the others be absent.
  return schema.partial().safeParse(rest).data as Partial<z.output<z.ZodObject<Shape>>>;
}

/** Words of other tools and of older documents. */
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
  const mistaken = Object.hasOwn(MISTAKES, key) ? MISTAKES[key] : undefined;
  const meant = mistaken !== undefined && known.includes(mistaken) ? mistaken : nearestOf(key, known);
  if (meant !== undefined) return `Did you mean "${meant}"?`;
  return known.includes('type') && known.includes('config') ? 'Settings belong under "config".' : undefined;
}
