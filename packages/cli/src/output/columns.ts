import { visibleName } from '@millrace/core/visible-text';
import Table from 'cli-table3';

const borders = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
] as const;

/** Returns characters that draw no borders, with `middle` between columns. */
const noBorders = (middle: string): Record<string, string> => ({
  ...Object.fromEntries(borders.map((border) => [border, ''])),
  middle,
});

/** Space between columns. */
const gap = '  ';

/** Width of a terminal, and the columns that are cut where it is too narrow. */
export interface Fit {
  readonly width: number;
  /** Minimum widths of the columns that may be cut, by their heads. */
  readonly shrink: Readonly<Record<string, number>>;
  /** Heads of columns whose beginning is as good as the whole, such as ids. */
  readonly prefixes?: readonly string[];
  /** Heads of columns that are left out where even cut ones do not fit, the first one first. */
  readonly optional?: readonly string[];
}

/**
 * Returns rows as aligned columns without borders, readable by people and by `grep`. With a width, empty columns are left out, and
 * cells are cut so that no line is longer; where that is not enough, optional columns are left out.
 */
export function columns(head: readonly string[], rows: readonly (readonly string[])[], fit?: Fit): string {
  const visible = rows.map((row) => row.map(visibleName));
  const [shownHead, shown] = fit === undefined ? [head, visible] : fitted(head, visible, fit);
  const table = new Table({
    head: [...shownHead],
    chars: noBorders(gap),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of shown) table.push([...row]);
  return table.toString().replace(/ +$/gm, '');
}

function fitted(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { width, shrink, prefixes = [], optional = [] }: Fit,
): [readonly string[], readonly (readonly string[])[]] {
  const widest = head.map((_name, at) => Math.max(...[head, ...rows].map((row) => charactersOf(row[at]).length)));
  const leastWidth = (places: readonly number[]): number =>
    places.reduce((sum, at) => sum + gap.length + Math.min(widest[at] ?? 0, leastOf(head[at], shrink)), -gap.length);
  let used = head.map((_name, at) => at).filter((at) => rows.some((row) => row[at] !== ''));
  for (const name of optional) if (leastWidth(used) > width) used = used.filter((at) => head[at] !== name);
  const widths = used.map((at) => widest[at] ?? 0);
  let over = widths.reduce((sum, one) => sum + one, gap.length * (used.length - 1)) - width;
  while (over > 0) {
    const candidates = used.map((at, column) => ({ column, spare: (widths[column] ?? 0) - leastOf(head[at], shrink) }));
    const most = candidates.reduce((best, one) => (one.spare > best.spare ? one : best));
    if (most.spare <= 0) break;
    const cut = Math.min(over, Math.ceil(most.spare / 2));
    widths[most.column] = (widths[most.column] ?? 0) - cut;
    over -= cut;
  }
  const cells = (row: readonly string[]) =>
    used.map((at, column) => cutTo(row[at], widths[column] ?? 0, prefixes.includes(head[at] ?? '') ? '' : '…'));
  return [cells(head), rows.map(cells)];
}

const leastOf = (name: string | undefined, shrink: Fit['shrink']): number =>
  shrink[name ?? ''] ?? Number.POSITIVE_INFINITY;

const charactersOf = (text: string | undefined): readonly string[] => [...(text ?? '')];

function cutTo(text: string | undefined, width: number, end: string): string {
  const characters = charactersOf(text);
  return characters.length <= width ? characters.join('') : `${characters.slice(0, width - end.length).join('')}${end}`;
}
