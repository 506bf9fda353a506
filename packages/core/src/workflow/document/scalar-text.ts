/** Characters of a line that YAML and people read in the same way, wherever they are. */
const plain = /^[A-Za-z][\w./-]*( [\w./-]+)*$/;
/** Words that YAML 1.1 reads as something else than a text. */
const special = /^(y|n|yes|no|on|off|true|false|null)$/i;
/** Lines of a block: no tabs, no control characters, nothing at the end that would be lost. */
const block = /^[^\s\p{C}][^\p{C}]*(\n+ *[^\s\p{C}][^\p{C}]*)+\n?$/u;

/** Returns a text as it is written in YAML; several lines are a block where a column for its field is given. */
export function scalarText(value: string, column: number | undefined): string {
  if (plain.test(value) && !special.test(value)) return value;
  if (column === undefined || !block.test(value) || /[ \u0085\u2028\u2029]$/m.test(value)) return quoted(value);
  const indent = ' '.repeat(column + 2);
  const lines = value.replace(/\n$/, '').split('\n');
  return [value.endsWith('\n') ? '|' : '|-', ...lines.map((line) => (line === '' ? '' : indent + line))].join('\n');
}

/** JSON is YAML, except for characters that end a line there. */
const quoted = (value: string): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\u00a0\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
