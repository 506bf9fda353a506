import { isMapping } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import { didYouMean } from '../document/suggest.ts';
import type { Dynamic, Edge, Use } from '../document/workflow.ts';
import { DynamicConfigSchema, DynamicSchema, EdgeSchema } from '../schema/document-schemas.ts';
import { describeValue } from '../schema/schema-problems.ts';
import { coerceDynamicConfig } from './coerce.ts';
import type { LocatedValue, ReadContext } from './read-context.ts';
import { readFields } from './read-context.ts';
import { isFunction, kinds, readShortUse, readUse } from './use.ts';

/** An edge, and its path in the document. */
export interface ParsedEdge {
  readonly edge: Edge;
  readonly path: Path;
}

type EdgeFields = ReturnType<typeof EdgeSchema.parse>;

/** Reads one edge; undefined if it does not connect two nodes of the graph. */
export function readEdge(
  context: ReadContext,
  located: LocatedValue,
  nodes: ReadonlySet<string>,
): ParsedEdge | undefined {
  const { path } = located;
  const written = readFields(context, EdgeSchema, located);
  const condition = readCondition(context, { value: written.condition, path: [...path, 'condition'] });
  const processor = readProcessor(context, written, path);
  const dynamic = readDynamic(context, { value: written.dynamic, path: [...path, 'dynamic'] });
  const ends = [
    endpoint(context, { name: written.from, nodes }, { code: 'E_EDGE_SOURCE_UNKNOWN', path: [...path, 'from'] }),
    endpoint(context, { name: written.to, nodes }, { code: 'E_EDGE_TARGET_UNKNOWN', path: [...path, 'to'] }),
  ] as const;
  const clearContext = written.clear_context ?? false;
  const clearKeptContext = readClearKept(context, written, path);
  const [from, to] = ends;
  if (from === undefined || to === undefined) return undefined;
  const edge: Edge = {
    from,
    to,
    trigger: written.trigger ?? true,
    condition: condition ?? null,
    carryData: written.carry_data ?? true,
    keepMessage: written.keep_message ?? false,
    clearContext,
    clearKeptContext,
    processor,
    dynamic: dynamic ?? null,
  };
  return { edge, path };
}

/** Returns one edge for each pair of nodes: the last one written, in the position of the first. */
export function lastOfEachPair(context: ReadContext, edges: readonly ParsedEdge[]): readonly ParsedEdge[] {
  const byPair = new Map<string, ParsedEdge>();
  for (const next of edges) {
    const { from, to } = next.edge;
    const pair = JSON.stringify([from, to]);
    const before = byPair.get(pair);
    if (before !== undefined) {
      const { document } = context;
      const [line, own] = [before, next].map(({ path }) => document.at(path, 'value').line);
      document.report.add('W_EDGE_DUPLICATE', {
        path: next.path,
        message: `The edges on lines ${line} and ${own} both lead from "${from}" to "${to}"; only the one on line ${own} counts`,
        hint: 'Join their conditions in one edge.',
      });
    }
    // A map keeps the position of a key that is set again.
    byPair.set(pair, next);
  }
  return [...byPair.values()];
}

function readProcessor(context: ReadContext, written: Partial<EdgeFields>, path: Path): Use | null {
  const isSet = (value: unknown) => value !== undefined && value !== null;
  if (isSet(written.processor) && isSet(written.process)) {
    context.document.report.add('E_EDGE_PROCESSOR_TWICE', {
      path: [...path, 'process'],
      atKey: true,
      message: '"process" and "processor" are two spellings of one field',
      hint: 'Remove one of them.',
    });
  }
  const key = isSet(written.processor) ? 'processor' : 'process';
  if (!isSet(written[key])) return null;
  return readUse(context, kinds.processor, { value: written[key], path: [...path, key] }) ?? null;
}

interface EdgeEnd {
  readonly name: string | undefined;
  readonly nodes: ReadonlySet<string>;
}
interface EndProblem {
  readonly code: 'E_EDGE_SOURCE_UNKNOWN' | 'E_EDGE_TARGET_UNKNOWN';
  readonly path: Path;
}

function endpoint(context: ReadContext, { name, nodes }: EdgeEnd, { code, path }: EndProblem): string | undefined {
  if (name === undefined || nodes.has(name)) return name;
  // The missing nodes are one error, and not another one for each edge.
  if (nodes.size === 0) return undefined;
  const hint = didYouMean(name, nodes) ?? 'Add a node with this id, or lead the edge elsewhere.';
  context.document.report.add(code, { path, message: `Unknown node "${name}"`, hint });
  return undefined;
}

/** Reads `clear_kept_context`. The original engine has two independent flags; here, it only adds to `clear_context`. */
function readClearKept(context: ReadContext, written: Partial<EdgeFields>, path: Path): boolean {
  if (written.clear_kept_context !== true || written.clear_context === true || context.shared.compat) {
    return written.clear_kept_context ?? false;
  }
  context.document.report.add('W_CLEAR_KEPT_ALONE', {
    path: [...path, 'clear_kept_context'],
    message: '"clear_kept_context" has no effect without "clear_context"',
    hint: 'Add "clear_context: true".',
  });
  return false;
}

/** Reads the fan-out of an edge: null if there is none, undefined if it is invalid. */
function readDynamic(context: ReadContext, located: LocatedValue): Dynamic | null | undefined {
  if (located.value === undefined || located.value === null) return null;
  const strict = { ...context, strict: true as const };
  const written = readFields(strict, DynamicSchema, located);
  const raw = written.config ?? {};
  const value = context.shared.compat ? coerceDynamicConfig(raw) : raw;
  const limits = readFields(strict, DynamicConfigSchema, { value, path: [...located.path, 'config'] });
  const split = readSplit(strict, { split: written.split, limits, path: located.path });
  if (written.type === undefined || split === undefined) return undefined;
  const { max_parallel: maxParallel = 10, group_size: groupSize = 3, item_name: itemName } = limits;
  const dynamic: Dynamic = { type: written.type, split, maxParallel, groupSize };
  return itemName === undefined ? dynamic : { ...dynamic, itemName };
}

interface SplitInput {
  readonly split: unknown;
  readonly limits: Partial<ReturnType<typeof DynamicConfigSchema.parse>>;
  readonly path: LocatedValue['path'];
}

/** Types that `split_type` stands for, with the settings of each. */
const shortForms = {
  message: { type: 'message', settings: [] },
  json_array: { type: 'json_array', settings: [] },
  json_path: { type: 'json_path', settings: ['json_path'] },
  lines: { type: 'lines', settings: [] },
  delimiter: { type: 'delimiter', settings: ['delimiter', 'pattern'] },
  regex: { type: 'delimiter', settings: ['pattern'] },
} as const;

const splitSettings = ['delimiter', 'pattern', 'json_path'] as const;
type SplitSetting = (typeof splitSettings)[number];

function readSplit(context: ReadContext, { split, limits, path }: SplitInput): Use | undefined {
  const { split_type: short } = limits;
  const isLong = split !== undefined && split !== null;
  if (isLong && short !== undefined) {
    context.document.report.add('E_DYNAMIC_SPLIT_TWICE', {
      path: [...path, 'config', 'split_type'],
      message: 'The edge says how to split both under "split" and under "config.split_type"',
      hint: 'Remove one of them.',
    });
  }
  const form = isLong || short === undefined ? undefined : shortForms[short];
  const settings: readonly SplitSetting[] = form?.settings ?? [];
  for (const setting of splitSettings) {
    if (limits[setting] === undefined || settings.includes(setting)) continue;
    reportIneffective(context, [...path, 'config', setting], isLong);
  }
  if (isLong) return readUse(context, kinds.splitter, { value: split, path: [...path, 'split'] });
  if (form === undefined) return readShortUse(context, kinds.splitter, { type: 'message', value: {}, path });
  const givenSettings = settings.filter((setting) => limits[setting] !== undefined);
  const value = Object.fromEntries(givenSettings.map((setting) => [setting, limits[setting]]));
  const valuePath = [...path, 'config', givenSettings[0] ?? 'split_type'];
  return readShortUse(context, kinds.splitter, { type: form.type, value, path: valuePath });
}

/** Reports a setting that the chosen split does not have; the original engine ignores it. */
function reportIneffective({ document, shared }: ReadContext, path: Path, isLong: boolean): void {
  if (shared.compat) return;
  const setting = String(path.at(-1));
  const wanted = Object.entries(shortForms).flatMap(([name, { settings }]) =>
    settings.some((one) => one === setting) ? [name] : [],
  );
  document.report.add('E_FIELD_INVALID', {
    path,
    atKey: true,
    message: `"${setting}" has no effect here`,
    hint: isLong ? 'It belongs under "split.config".' : `Add "split_type: ${wanted[0] ?? ''}".`,
  });
}

/** Name of the condition that no message passes. */
const NEVER = 'always_false';

/** Reads the condition of an edge: null if every message passes, undefined if the condition is invalid. */
function readCondition(context: ReadContext, { value, path }: LocatedValue): Use | null | undefined {
  if (value === undefined || value === null || value === true) return null;
  if (value === false) return named(context, NEVER, path);
  if (typeof value === 'string' && value !== '') return named(context, value, path);
  if (!isMapping(value)) {
    context.document.report.add('E_CONDITION_INVALID', {
      path,
      message: `A condition is true, false, the name of a function or a mapping with type and config, but not ${describeValue(value)}`,
    });
    return undefined;
  }
  const isNamed = value.type === 'function' && isMapping(value.config);
  const name = isNamed && isMapping(value.config) ? value.config.name : undefined;
  if (name === 'true' || name === 'false') return named(context, name, path);
  return readUse(context, kinds.condition, { value, path });
}

/**
 * Reads a condition by its name. The original engine looks for a function `false`, does not find it, and lets
 * everything pass.
 */
function named(context: ReadContext, name: string, path: LocatedValue['path']): Use | null | undefined {
  if (name === 'true' || (name === 'false' && context.shared.compat)) return null;
  const value = { name: name === 'false' ? NEVER : name };
  return readShortUse(context, kinds.condition, { type: 'function', value, path });
}

/** Returns whether no message ever passes. */
export const isNever = (condition: Use | null): boolean => condition !== null && isFunction(condition, NEVER);

/** Returns whether only messages about a failure of their source pass. */
export const isOnError = (condition: Use | null): boolean => condition !== null && isFunction(condition, 'error');
