import type { IssueCode } from '../document/issue-codes.ts';
import { isMapping } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import type { LogLevel } from '../document/workflow.ts';
import type { ParsedNode } from '../elements/node.ts';
import type { LocatedValue, ReadContext } from '../elements/read-context.ts';

/** Alternative paths of the parts of a boss: besides the flat spelling, the nested one under `subflows_config`. */
const nestedPaths = {
  memory_reading: [
    ['subflows_config', 'MemoryReading'],
    ['subflows_config', 'CtrlExMem', 'subflows_config', 'MemoryReading'],
  ],
  planner: [['subflows_config', 'Planner']],
  controller: [
    ['subflows_config', 'CtrlExMem', 'subflows_config', 'Controller'],
    ['subflows_config', 'Controller'],
  ],
  executor: [
    ['subflows_config', 'CtrlExMem', 'subflows_config', 'Executor'],
    ['subflows_config', 'Executor'],
  ],
  memory_writing: [
    ['subflows_config', 'CtrlExMem', 'subflows_config', 'MemoryWriting'],
    ['subflows_config', 'MemoryWriting'],
  ],
  max_round: [['subflows_config', 'CtrlExMem', 'max_round']],
  max_rounds: [['subflows_config', 'CtrlExMem', 'max_rounds']],
  on_max_round: [['subflows_config', 'CtrlExMem', 'on_max_round']],
  finish: [['subflows_config', 'CtrlExMem', 'finish']],
  early_exit_key: [['subflows_config', 'CtrlExMem', 'early_exit_key']],
  detect: [['subflows_config', 'CtrlExMem', 'detect']],
  topology: [['subflows_config', 'CtrlExMem', 'topology']],
  steps: [['subflows_config', 'CtrlExMem', 'steps']],
  memory_files: [],
  inputs: [],
  name: [],
  reset: [],
  termination: [],
} as const satisfies Record<string, readonly Path[]>;

/** Name of a part of a boss. */
export type Section = keyof typeof nestedPaths;

/** Returns a part of a boss from whichever place it is written at; its value is undefined if it is not written. */
export function section(config: LocatedValue, name: Section): LocatedValue {
  const candidates: readonly Path[] = [[name], ...nestedPaths[name]];
  for (const path of candidates) {
    const value = at(config.value, path);
    if (value !== undefined) return { value, path: [...config.path, ...path] };
  }
  return { value: undefined, path: [...config.path, name] };
}

/** Returns a field of a part with its place. */
export const field = ({ value, path }: LocatedValue, name: string): LocatedValue => ({
  value: isMapping(value) ? value[name] : undefined,
  path: [...path, name],
});

function at(value: unknown, path: Path): unknown {
  let found = value;
  for (const key of path) {
    if (!isMapping(found)) return undefined;
    found = found[key];
  }
  return found;
}

/** Properties of the enclosing graph that the reader of a boss needs. */
export interface BossContext {
  readonly id: string;
  readonly logLevel: LogLevel;
  /** Reads a node with everything inside it. */
  readNode(located: LocatedValue): ParsedNode | undefined;
}

/** Reads a part that is a node: its type and config, under an id that the reader gives it. */
export function readBossPart(
  { readNode }: BossContext,
  { value, path }: LocatedValue,
  id: string,
): ParsedNode | undefined {
  if (!isMapping(value)) return undefined;
  return readNode({ value: { id, type: value.type, config: value.config }, path });
}

/** Reports a problem of a boss. */
export function reportBossProblem(context: ReadContext, code: IssueCode, { path, message, hint }: BossProblem): void {
  context.document.report.add(code, hint === undefined ? { path, message } : { path, message, hint });
}

interface BossProblem {
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
}

/** Returns a path such as `data.goal` as a template; a template stays as it is. */
export const asTemplate = (written: string): string => (written.includes('{') ? written : `{{ ${written} }}`);
