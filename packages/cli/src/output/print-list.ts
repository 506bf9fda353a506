import type { Fit } from './columns.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Prints items as aligned columns, or as JSON; an empty list, as a sentence. Loads the columns when it needs them. */
export async function printList<T>(
  terminal: Terminal,
  items: readonly T[],
  {
    json,
    empty,
    head,
    row,
    fit,
  }: {
    readonly json: boolean | undefined;
    /** Sentence for people about an empty list. */
    readonly empty: string;
    readonly head: readonly string[];
    /** Returns the cells of an item. */
    row(item: T): readonly string[];
    /** Columns that are cut on a narrow terminal; absent: none. */
    readonly fit?: Omit<Fit, 'width'>;
  },
): Promise<void> {
  if (json) terminal.data(JSON.stringify(items, null, 2));
  else if (items.length === 0) terminal.say(empty);
  else {
    const { columns } = await import('./columns.ts');
    const { columns: width } = terminal;
    terminal.data(columns(head, items.map(row), fit && width !== undefined ? { ...fit, width } : undefined));
  }
}
