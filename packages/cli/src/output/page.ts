import Table from 'cli-table3';
import { noBorders } from './tables/columns.ts';
import { visibleText } from './terminal/visible-text.ts';

/** Narrowest column of values, in characters. */
const narrowest = 20;

/** Returns labelled lines of a page. Values are wrapped where the terminal has a width. */
export function page(lines: readonly (readonly [label: string, value: string])[], width: number | undefined): string {
  const labels = Math.max(...lines.map(([label]) => label.length)) + 2;
  const wrapped =
    width === undefined ? {} : { colWidths: [labels, Math.max(width - labels, narrowest)], wordWrap: true };
  const table = new Table({
    chars: noBorders(''),
    ...wrapped,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const [label, value] of lines) table.push([label.padEnd(labels), visibleText(value).replaceAll('\t', ' ')]);
  return table.toString().replace(/ +$/gm, '');
}
