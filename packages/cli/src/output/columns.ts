import Table from 'cli-table3';
import { visibleName } from './terminal/visible-text.ts';

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
export const noBorders = (middle: string): Record<string, string> => ({
  ...Object.fromEntries(borders.map((border) => [border, ''])),
  middle,
});

/** Returns rows as aligned columns without borders, readable by people and by `grep`. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: [...head],
    chars: noBorders('  '),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) table.push(row.map(visibleName));
  return table.toString().replace(/ +$/gm, '');
}
