/** One part of a line of YAML with the look that it gets. */
export interface YamlPart {
  readonly text: string;
  readonly kind: 'plain' | 'key' | 'comment' | 'string' | 'literal';
}

/** Maximum number of characters of a line that are shown. */
export const longestLine = 2_000;

/** Returns the lines of a text. */
export const linesOf = (yaml: string): readonly string[] => yaml.replace(/\n$/, '').split('\n');

/** Returns the number of characters of the widest line that is shown, with its number and the notice about what is left out. */
export function widthOf(lines: readonly string[]): number {
  const widest = lines.reduce((most, { length }) => Math.max(most, length), 0);
  return Math.min(widest, longestLine) + (widest > longestLine ? 40 : 12);
}

/** Splits a line of YAML into its key, its value and its comment. Only colours depend on it: texts over several lines stay plain. */
export function partsOf(line: string): readonly YamlPart[] {
  const shown = line.slice(0, longestLine);
  if (/^\s*#/.test(shown)) return [{ text: shown, kind: 'comment' }];
  const [, indent = '', key = '', rest = ''] =
    /^(\s*(?:- +)*(?:\{ *)?)("[^"]*"|'[^']*'|[\w.$/-][^:#{},[\]]*?)(:(?:\s.*)?)$/.exec(shown) ?? [];
  const value = key === '' ? shown : rest.slice(1);
  const before: YamlPart[] = key === '' ? [] : [plain(indent), { text: key, kind: 'key' }, plain(':')];
  const comment = /\s#.*$/.exec(value)?.[0] ?? '';
  const inQuotes = /^\s*["']/.test(value);
  const content = comment === '' || inQuotes ? value : value.slice(0, -comment.length);
  const parts = [...before, { text: content, kind: kindOf(content) }];
  return (content === value ? parts : [...parts, { text: comment, kind: 'comment' as const }]).filter(
    ({ text }) => text !== '',
  );
}

const plain = (text: string): YamlPart => ({ text, kind: 'plain' });

function kindOf(value: string): YamlPart['kind'] {
  const word = value.trim();
  if (/^(["']).*\1$/.test(word)) return 'string';
  return /^(true|false|null|~|-?\d+(\.\d+)?)$/.test(word) ? 'literal' : 'plain';
}

/** Returns the node of each line: a node begins at its line and ends before the next one, or where the indentation ends. */
export function nodesByLine(
  lines: readonly string[],
  starts: Readonly<Record<string, number>>,
): readonly (string | undefined)[] {
  const begins = new Map(Object.entries(starts).map(([node, line]) => [line, node]));
  const open: { readonly node: string; readonly depth: number }[] = [];
  const nodes = lines.map((line, at) => {
    const indent = line.search(/\S/);
    while (indent >= 0 && indent <= (open.at(-1)?.depth ?? -1)) open.pop();
    const node = begins.get(at + 1);
    if (node !== undefined) open.push({ node, depth: indent });
    return open.at(-1)?.node;
  });
  return nodes.map((node, at) => (lines[at]?.trim() === '' && nodes[at + 1] !== node ? undefined : node));
}
