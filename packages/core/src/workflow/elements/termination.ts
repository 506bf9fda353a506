import type { ConditionMessageFilter, TerminationDefinition } from '../../definitions/define.ts';
import { taskSource } from '../../model/messages/delta.ts';
import { omitUndefined } from '../../model/omit-undefined.ts';
import { isMapping, toList } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import { didYouMean } from '../document/suggest.ts';
import type { Termination, TerminationCondition, TerminationLeaf } from '../document/workflow.ts';
import { schemaProblems } from '../schema/schema-problems.ts';
import { TerminationLeafSchema } from '../schema/termination-schemas.ts';
import { unknownKeys } from '../schema/unknown-keys.ts';
import type { LocatedValue, ReadContext } from './read-context.ts';
import { isUnresolved, readFields } from './read-context.ts';
import type { TerminationTarget } from './termination-options.ts';
import { readOptions } from './termination-options.ts';

const groups = ['any_of', 'all_of'] as const;
const optionKeys: ReadonlySet<string> = new Set(['in_flight', 'exit_to', 'carry_last', 'message']);
/** Maximum depth and number of conditions; larger trees cannot be understood. */
const maxDepth = 8;
const maxLeaves = 64;

/**
 * Reads a termination with its options; undefined if there is none or it is invalid. A list stands for `any_of`, and so
 * does a single condition.
 */
export function readTermination(
  context: ReadContext,
  located: LocatedValue,
  target: TerminationTarget,
): Termination | undefined {
  const { value, path } = located;
  if (value === undefined || value === null) return undefined;
  const tree: Tree = { reading: context, target, ids: new Set(), leaves: 0 };
  if (Array.isArray(value)) {
    const of = readGroup(tree, { value, path }, 1);
    return of === undefined ? undefined : { any_of: of, ...readOptions(context, { value: {}, path }, target) };
  }
  if (!isMapping(value)) {
    reportNode(tree, path, 'A termination is a mapping or a list of conditions');
    return undefined;
  }
  const options = readOptions(context, located, target);
  const written = Object.fromEntries(Object.entries(value).filter(([key]) => !optionKeys.has(key)));
  const condition = readTree(tree, { value: written, path }, 1);
  if (condition === undefined) return undefined;
  if ('any_of' in condition || 'all_of' in condition) return { ...condition, ...options };
  return { any_of: [condition], ...options };
}

interface Tree {
  readonly reading: ReadContext;
  readonly target: TerminationTarget;
  readonly ids: Set<string>;
  leaves: number;
}

function reportNode({ reading: context }: Tree, path: Path, message: string): void {
  const hint = 'Write exactly one of any_of, all_of and type.';
  context.document.report.add('E_TERM_NODE', { path, message, hint });
}

function readTree(tree: Tree, { value, path }: LocatedValue, depth: number): TerminationCondition | undefined {
  const { report } = tree.reading.document;
  if (depth > maxDepth) {
    const message = `The conditions are nested more than ${maxDepth} levels deep`;
    report.add('E_TERM_DEPTH', { path, message, hint: 'Join conditions that say the same.' });
    return undefined;
  }
  if (!isMapping(value)) {
    reportNode(tree, path, 'A condition is a mapping');
    return undefined;
  }
  const kinds = [...groups, 'type' as const].filter((key) => key in value);
  const [kind, ...others] = kinds;
  if (kind === undefined || others.length > 0) {
    reportNode(
      tree,
      path,
      kind === undefined ? 'This is not a condition' : `A condition cannot be ${kinds.join(' and ')} at once`,
    );
    return undefined;
  }
  if (kind === 'type') return readOneLeaf(tree, { value, path });
  for (const key of Object.keys(value)) {
    if (key === kind) continue;
    report.add('W_KEY_UNKNOWN', {
      path: [...path, key],
      atKey: true,
      message: `"${key}" is not known here and has no effect`,
    });
  }
  const of = readGroup(tree, { value: value[kind], path: [...path, kind] }, depth);
  if (of === undefined) return undefined;
  return kind === 'any_of' ? { any_of: of } : { all_of: of };
}

function readGroup(
  tree: Tree,
  { value, path }: LocatedValue,
  depth: number,
): readonly TerminationCondition[] | undefined {
  const entries = toList(value);
  if (entries.length === 0) {
    const hint = 'Write a condition, or leave the termination out.';
    tree.reading.document.report.add('E_TERM_EMPTY', { path, message: 'There is no condition in this list', hint });
    return undefined;
  }
  return entries.flatMap(
    (entry, index) =>
      readTree(tree, { value: entry, path: Array.isArray(value) ? [...path, index] : path }, depth + 1) ?? [],
  );
}

function readOneLeaf(tree: Tree, located: LocatedValue): TerminationCondition | undefined {
  const { report } = tree.reading.document;
  tree.leaves += 1;
  if (tree.leaves === maxLeaves + 1) {
    report.add('E_TERM_DEPTH', { path: located.path, message: `There are more than ${maxLeaves} conditions` });
  }
  const read = readLeaf(tree.reading, located);
  if (read === undefined) return undefined;
  const { leaf, messageFilter } = read;
  if (leaf.id !== undefined && tree.ids.has(leaf.id)) {
    const message = `There are two conditions with the id "${leaf.id}"`;
    report.add('E_TERM_ID', { path: [...located.path, 'id'], message, hint: 'Give one of the two another id.' });
  }
  if (leaf.id !== undefined) tree.ids.add(leaf.id);
  if (messageFilter !== undefined) checkMessageFilter(tree, messageFilter, { type: leaf.type, path: located.path });
  return leaf;
}

function checkMessageFilter(
  tree: Tree,
  messageFilter: ConditionMessageFilter,
  { type, path }: { type: string; path: Path },
): void {
  const { reading: context, target } = tree;
  for (const name of messageFilter.sources ?? []) {
    if (name === taskSource || isSource(target, name, messageFilter.nested)) continue;
    const known = [...(target.members ?? target.nodes.map(({ id }) => id)), taskSource];
    const isInner = name.includes('/') && !messageFilter.nested;
    context.document.report.add('E_TERM_SOURCE', {
      path: [...path, 'config'],
      message: `The condition names the source "${name}", which is not a node ${target.members ? 'of this scope' : 'of this graph'}`,
      hint: isInner
        ? 'Nodes of graphs inside are seen with "include_nested: true".'
        : (didYouMean(name, known) ?? 'Name nodes by their ids, and the task by "user".'),
    });
  }
  if (!messageFilter.task || target.members !== undefined) return;
  context.document.report.add('W_TERM_TASK', {
    path,
    message: `The task alone may satisfy this "${type}", and the graph would stop before any node runs`,
    hint: 'Write "include_task: false" under its config, or "include_task: true" if that is meant.',
  });
}

function isSource({ nodes, members }: TerminationTarget, name: string, nested: boolean): boolean {
  if (members?.has(name) ?? nodes.some(({ id }) => id === name)) return true;
  if (!nested) return false;
  return nodes.some(
    ({ id, graph }) =>
      graph !== undefined &&
      (members?.has(id) ?? true) &&
      name.startsWith(`${id}/`) &&
      isSource({ nodes: graph.nodes }, name.slice(id.length + 1), true),
  );
}

/** A leaf as read, and what it looks at. */
interface ParsedLeaf {
  readonly leaf: TerminationLeaf;
  readonly messageFilter: ConditionMessageFilter | undefined;
}

/** Reads a condition of the catalogue; undefined if it is invalid. */
function readLeaf(context: ReadContext, { value, path }: LocatedValue): ParsedLeaf | undefined {
  const { report } = context.document;
  const { terminations } = context.shared.vocabulary;
  const { type, config, id, in_flight } = readFields(context, TerminationLeafSchema, { value, path });
  if (type === undefined) return undefined;
  const definition = terminations.get(type);
  if (definition === undefined) {
    const known = [...terminations.keys()];
    const hint = didYouMean(type, known) ?? `Known types: ${known.join(', ')}.`;
    report.add('E_TERM_TYPE', { path: [...path, 'type'], message: `There is no condition of type "${type}"`, hint });
    return undefined;
  }
  const read = readSettings(context, definition, { value: config ?? {}, path: [...path, 'config'] });
  if (read === undefined) return undefined;
  return {
    leaf: {
      type: definition.type,
      config: read.config,
      ...(id === undefined || id === null ? {} : { id }),
      ...omitUndefined({ in_flight }),
    },
    messageFilter: definition.messageFilter?.(read.config),
  };
}

function readSettings(
  context: ReadContext,
  definition: TerminationDefinition,
  { value: written, path: at }: LocatedValue,
): { readonly config: unknown } | undefined {
  const { report } = context.document;
  for (const unknown of unknownKeys(definition.config, written, at)) {
    const key = String(unknown.path.at(-1));
    const message = `"${key}" is not known here and has no effect`;
    report.add('W_KEY_UNKNOWN', { path: unknown.path, atKey: true, message, hint: didYouMean(key, unknown.known) });
  }
  const read = definition.config.safeParse(written);
  if (!read.success) {
    for (const { code: _code, ...problem } of schemaProblems(read.error.issues, written, at)) {
      if (!isUnresolved(context, problem.path)) report.add('E_TERM_CONFIG', problem);
    }
    return undefined;
  }
  for (const { code, severity, path: below, ...problem } of definition.check?.(read.data) ?? []) {
    report.addForeign(code, severity, { ...problem, path: [...at, ...below] });
  }
  return { config: read.data };
}
