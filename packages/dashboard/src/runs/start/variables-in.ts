/** A variable of a workflow with the value that its text gives it. */
export interface Variable {
  readonly name: string;
  /** In the notation of the text; empty for none. */
  readonly value: string;
}

/**
 * Returns the variables that a workflow declares under `vars`, as far as their values are written in one line, and those
 * that its texts use without declaring them. The server reads the text properly; a form needs names and hints only.
 */
export function variablesIn(text: string): readonly Variable[] {
  const declared = new Map(declaredIn(text.split('\n')));
  for (const [, name = ''] of text.matchAll(/\$\{([A-Za-z_]\w*)\}/g)) if (!declared.has(name)) declared.set(name, '');
  return [...declared].map(([name, value]) => ({ name, value }));
}

function declaredIn(lines: readonly string[]): readonly (readonly [string, string])[] {
  const at = lines.findIndex((line) => /^vars\s*:/.test(line));
  if (at < 0) return [];
  const inline = /^vars\s*:\s*\{(.*)\}/.exec(lines[at] ?? '')?.[1];
  if (inline !== undefined) return inline.split(',').flatMap(pairIn);
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => /^\S/.test(line) && !line.startsWith('#'));
  const block = end < 0 ? rest : rest.slice(0, end);
  const indent = /^\s+(?=\w)/.exec(block.find((line) => /^\s+\w/.test(line)) ?? '')?.[0].length ?? 0;
  // Deeper lines belong to the values of variables.
  return block.filter((line) => /^\s+\w/.test(line) && line.search(/\w/) === indent).flatMap(pairIn);
}

function pairIn(text: string): (readonly [string, string])[] {
  const [, name, value = ''] = /^\s*["']?([A-Za-z_]\w*)["']?\s*:\s*(.*)$/.exec(text) ?? [];
  return name === undefined ? [] : [[name, unquoted(value.trim())]];
}

/** Returns a value without quotes and trailing comment; empty for a value of several lines. */
function unquoted(value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'((?:[^']|'')*)'/.exec(value);
  if (quoted !== null) return quoted[1] ?? quoted[2]?.replaceAll("''", "'") ?? '';
  return /^[|>[{&*]/.test(value) ? '' : value.replace(/\s+#.*$/, '');
}
