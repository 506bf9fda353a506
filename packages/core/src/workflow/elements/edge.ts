import type { Path } from '../document/path.ts';
import { didYouMean } from '../document/suggest.ts';
import type { Edge, Use } from '../document/workflow.ts';
import { EdgeSchema } from '../schema/document-schemas.ts';
import { readCondition } from './condition.ts';
import { readDynamic } from './dynamic.ts';
import type { LocatedValue, ReadContext } from './read-context.ts';
import { readFields } from './read-context.ts';
import { kinds, readUse } from './use.ts';

/** An edge, and its path in the document. */
export interface ParsedEdge {
  readonly edge: Edge;
  readonly path: Path;
}

type Written = ReturnType<typeof EdgeSchema.parse>;

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

function readProcessor(context: ReadContext, written: Partial<Written>, path: Path): Use | null {
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
  const hint = didYouMean(name, nodes) ?? 'Add a node with this id, or lead the edge elsewhere.';
  context.document.report.add(code, { path, message: `Unknown node "${name}"`, hint });
  return undefined;
}

/** Reads `clear_kept_context`. The original engine has two independent flags; here, it only adds to `clear_context`. */
function readClearKept(context: ReadContext, written: Partial<Written>, path: Path): boolean {
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
