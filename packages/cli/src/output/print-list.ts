import { visibleName } from '@millrace/core/visible-text';
import type { Fit } from './columns.ts';
import type { Terminal } from './terminal/terminal.ts';
import { wrapped } from './terminal/wrapped.ts';

/** How a list is printed. */
interface ListOptions<T> {
  readonly json: boolean | undefined;
  /** Sentence for people about an empty list. */
  readonly empty: string;
  readonly head: readonly string[];
  /** Returns the cells of an item. */
  row(item: T): readonly string[];
  /** Columns that are cut on a narrow terminal; absent: none. */
  readonly fit?: Omit<Fit, 'width'>;
  /** Prints items below each other, where a terminal has too few columns for what matters of them; absent: never. */
  readonly block?: {
    readonly below: number;
    /** Returns the lines of an item: the first one stays whole, the others are indented. */
    lines(item: T): readonly string[];
  };
}

/** Prints items as aligned columns, or as JSON; an empty list, as a sentence. Loads the columns when it needs them. */
export async function printList<T>(
  terminal: Terminal,
  items: readonly T[],
  { json, empty, head, row, fit, block }: ListOptions<T>,
): Promise<void> {
  const { columns: width } = terminal;
  if (json) return terminal.data(JSON.stringify(items, null, 2));
  if (items.length === 0) return terminal.say(empty);
  if (block !== undefined && width !== undefined && width < block.below) {
    for (const item of items) terminal.data(blockText(block.lines(item).map(visibleName), width));
    return;
  }
  const { columns } = await import('./columns.ts');
  terminal.data(columns(head, items.map(row), fit && width !== undefined ? { ...fit, width } : undefined));
}

const indentation = '  ';

const blockText = ([first = '', ...rest]: readonly string[], width: number): string =>
  [first, ...rest.map((line) => wrapped(line, width - indentation.length, '').replace(/^/gm, indentation))].join('\n');
