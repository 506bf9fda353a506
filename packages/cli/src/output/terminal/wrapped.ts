/**
 * Breaks the lines of a text between words, so that none is longer than a terminal. What is to be copied stays whole: commands,
 * indented lines, lines of JSON, and words that are longer. `indentation` is that of the lines that continue a line.
 */
export function wrapped(text: string, columns: number, indentation = '  '): string {
  return text
    .split('\n')
    .map((line) => (line.length <= columns || /^[\s{[]/.test(line) ? line : broken(line, columns, indentation)))
    .join('\n');
}

function broken(line: string, columns: number, indentation: string): string {
  const lines: string[] = [];
  let current: string | undefined;
  for (const [unit] of line.matchAll(units)) {
    const next = current === undefined ? unit : `${current} ${unit}`;
    if (next.length <= columns || current === undefined || current.trim() === '') current = next;
    else {
      lines.push(current);
      current = `${indentation}${unit}`;
    }
  }
  return [...lines, current].join('\n');
}

/** What stays on a line: a command that is a line or ends one after a colon, what is in backticks, and otherwise a word. */
const units = /(?<=^| )(?:(?<=^|: )(?:npx )?millrace .*|[^ `]*`[^`]+`[^ ]*|[^ ]*)(?= |$)/g;

/** Breaks the lines of a result on a terminal that shows it; a pipe or a file gets it unchanged. */
export const wrappedOn = ({ columns }: { readonly columns?: number }, text: string, indentation = ''): string =>
  columns === undefined ? text : wrapped(text, columns, indentation);
