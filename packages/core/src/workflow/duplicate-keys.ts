import type { LineCounter, Node } from 'yaml';
import { isMap, isPair, isScalar, isSeq } from 'yaml';
import type { Path } from './path.ts';
import type { Report } from './report.ts';

/** Warns of keys that are written twice in one mapping; the last one counts. */
export function reportDuplicateKeys(contents: Node | null, lines: LineCounter, report: Report): void {
  const visit = (node: unknown, path: Path): void => {
    if (isSeq(node)) for (const [index, item] of node.items.entries()) visit(item, [...path, index]);
    if (!isMap(node)) return;
    const first = new Map<string, Node>();
    for (const pair of node.items) {
      if (!isPair(pair) || !isScalar(pair.key) || typeof pair.key.value === 'symbol') continue;
      const key = String(pair.key.value);
      const before = first.get(key);
      if (before === undefined) first.set(key, pair.key);
      else {
        const line = lines.linePos(before.range?.[0] ?? 0).line;
        report.add('W_KEY_DUPLICATE', {
          path: [...path, key],
          atKey: true,
          message: `"${key}" is also written on line ${line}; the last one counts`,
          hint: 'Remove the one that is not meant.',
        });
      }
      visit(pair.value, [...path, key]);
    }
  };
  visit(contents, []);
}
