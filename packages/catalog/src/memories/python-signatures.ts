/** Text for code without functions. */
const nothing = 'There are no functions yet.';

/**
 * Returns the functions and classes at the top level of Python code: their signatures and docstrings, without their
 * bodies.
 */
export function pythonSignatures(code: string): string {
  const lines = code.split('\n');
  const found = lines.flatMap((line, at) => {
    if (!/^(?:async\s+def|def|class)\s/.test(line)) return [];
    const end = endOfSignature(lines, at);
    const signature = lines.slice(at, end + 1).join('\n');
    return [[signature, ...docstring(lines.slice(end + 1))].join('\n')];
  });
  return found.length === 0 ? nothing : found.join('\n\n');
}

/** Returns the last line of a signature, which is the line that ends with a colon. */
function endOfSignature(lines: readonly string[], from: number): number {
  const end = lines.findIndex((line, at) => at >= from && /:\s*(?:#.*)?$/.test(line));
  return end === -1 ? from : end;
}

function docstring(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => line.trim() !== '');
  const quote = /^\s+[rRuU]?("""|''')/.exec(lines[start] ?? '')?.[1];
  if (quote === undefined) return [];
  const first = lines[start] ?? '';
  if (first.indexOf(quote, first.indexOf(quote) + 3) !== -1) return [first];
  const end = lines.findIndex((line, at) => at > start && line.includes(quote));
  return lines.slice(start, end === -1 ? start + 1 : end + 1);
}
