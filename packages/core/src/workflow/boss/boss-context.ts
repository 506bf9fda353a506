import type { IssueCode } from '../document/issue-codes.ts';
import { isMapping } from '../document/mapping.ts';
import type { Path } from '../document/path.ts';
import type { LogLevel } from '../document/workflow.ts';
import type { ParsedNode } from '../elements/node.ts';
import type { LocatedValue, ReadContext } from '../elements/read-context.ts';

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
