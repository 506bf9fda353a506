import type { Cursor } from './cursor.ts';
import type { PatternFlags, PatternNode } from './syntax.ts';
import type { Width } from './width.ts';

/** The flags that hold in a part of the pattern. Global flags change those of the outermost part in place. */
export interface FlagScope {
  flags: Required<PatternFlags>;
}

/** A pattern being read. */
export interface PatternReader {
  readonly cursor: Cursor;
  groups: number;
  readonly names: Map<string, number>;
  /** Groups whose closing parenthesis is still to come. */
  readonly open: Set<number>;
  readonly widths: Map<number, Width>;
  /** Groups that conditions ask about, with the place where they do: they may come later in the pattern. */
  readonly asked: { readonly group: number; readonly offset: number }[];
  /** Reads up to a closing parenthesis or the end. */
  readonly alternatives: (scope: FlagScope, outermost: boolean) => PatternNode;
}
