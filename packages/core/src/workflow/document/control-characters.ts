import { isMapping } from './mapping.ts';
import type { Path } from './path.ts';
import type { ProblemReporter } from './report.ts';

/** Keys whose values become names, paths, addresses and arguments, where no text of several lines is meant. */
const lines: ReadonlySet<string> = new Set([
  'base_url',
  'command',
  'cwd',
  'end',
  'file',
  'from',
  'id',
  'interpreter',
  'name',
  'path',
  'provider',
  'queue',
  'start',
  'to',
  'type',
  'url',
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds exactly these characters
const nul = /\u0000/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds exactly these characters
const control = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Reports control characters in a value with its variables replaced: NUL in any text, because arguments of programs and paths
 * end there, and all others in keys and in names.
 */
export function reportControlCharacters(value: unknown, path: Path, report: ProblemReporter, isLine = false): void {
  if (typeof value === 'string') {
    add(report, { path }, (isLine ? control : nul).exec(value));
  } else if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) reportControlCharacters(entry, [...path, index], report, isLine);
  } else if (isMapping(value)) {
    for (const [key, entry] of Object.entries(value)) {
      add(report, { path: [...path, key], atKey: true }, control.exec(key));
      reportControlCharacters(entry, [...path, key], report, lines.has(key));
    }
  }
}

function add(
  report: ProblemReporter,
  place: { readonly path: Path; readonly atKey?: true },
  found: readonly string[] | null,
) {
  if (found?.[0] === undefined) return;
  const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  report.add('E_CONTROL_CHARACTER', {
    ...place,
    message: `The ${place.atKey ? 'key' : 'text'} contains the control character U+${code}`,
    hint: 'Remove it, also from the variables that are used here.',
  });
}
