import type { LineCounter, Node, YAMLMap } from 'yaml';
import { isMap, isScalar, isSeq } from 'yaml';
import type { Path } from './path.ts';
import type { ProblemReporter } from './report.ts';

/**
 * Warns of keys that are written twice in one mapping, of which the last one counts, and refuses keys that no mapping
 * can have.
 */
export function reportDuplicateKeys(contents: Node | null, lines: LineCounter, report: ProblemReporter): void {
  const visit = (node: unknown, path: Path): void => {
    if (isSeq(node)) for (const [index, item] of node.items.entries()) visit(item, [...path, index]);
    if (!isMap(node)) return;
    reportInMapping(node, { path, lines, report });
    for (const { key, value } of node.items) if (isScalar(key)) visit(value, [...path, String(key.value)]);
  };
  visit(contents, []);
}

interface MappingLocation {
  readonly path: Path;
  readonly lines: LineCounter;
  readonly report: ProblemReporter;
}

function reportInMapping(map: YAMLMap, { path, lines, report }: MappingLocation): void {
  const first = new Map<string, number>();
  for (const { key: node } of map.items) {
    // Merge keys may occur several times.
    if (!isScalar(node) || typeof node.value === 'symbol') continue;
    const key = String(node.value);
    if (key === '__proto__') {
      const message = 'No mapping can have the key "__proto__"';
      report.add('E_FIELD_INVALID', { path: [...path, key], atKey: true, message, hint: 'Choose another name.' });
    }
    const { line } = lines.linePos(node.range?.[0] ?? 0);
    const before = first.get(key);
    if (before === undefined) first.set(key, line);
    else {
      const message = `"${key}" is also written on line ${before}; the last one counts`;
      const hint = 'Remove the one that is not meant.';
      report.add('W_KEY_DUPLICATE', { path: [...path, key], atKey: true, message, hint });
    }
  }
}
