import type { Cursor } from './cursor.ts';
import type { PatternFlags, PatternNode } from './syntax.ts';
import type { Width } from './width.ts';

/** Flags of a part of the pattern. Global flags change those of the outermost part in place. */
export interface FlagScope {
  flags: Required<PatternFlags>;
}

/** State of the parser of a pattern. */
export interface PatternReader {
  readonly cursor: Cursor;
  groups: number;
  /** Number of groups around the cursor. */
  depth: number;
  readonly names: Map<string, number>;
  /** Groups whose closing parenthesis has not been read yet. */
  readonly open: Set<number>;
  readonly widths: Map<number, Width>;
  /** Groups that conditions test, with the position of the condition: they may come later in the pattern. */
  readonly asked: { readonly group: number; readonly offset: number }[];
  /** Parses up to a closing parenthesis or the end. */
  readonly alternatives: (scope: FlagScope, outermost: boolean) => PatternNode;
}
