/**
 * Breaks the lines of a text between words, so that none is longer than a terminal. Indented lines, such as commands to copy, and
 * words that are longer stay whole. `indentation` is that of the lines that continue a line.
 */
export function wrapped(text: string, columns: number, indentation = '  '): string {
  return text
    .split('\n')
    .map((line) => (line.length <= columns || line.startsWith(' ') ? line : broken(line, columns, indentation)))
    .join('\n');
}

function broken(line: string, columns: number, indentation: string): string {
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    const next = current === '' ? word : `${current} ${word}`;
    if (next.length <= columns || current.trim() === '') current = next;
    else {
      lines.push(current);
      current = `${indentation}${word}`;
    }
  }
  return [...lines, current].join('\n');
}
