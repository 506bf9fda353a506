import { argumentText, singleLine } from '../../model/text/field-patterns.ts';
import { isMapping } from './mapping.ts';
import type { Path } from './path.ts';
import type { DocumentProblem, ProblemReporter } from './report.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds exactly this character
const withoutNul = /^[^\u0000]*$/;

/** A surrogate of UTF-16 without its other half. */
const halfCharacter = /\p{Cs}/u;

/**
 * Reports control characters in a value with its variables replaced: NUL in any text, because arguments of programs and paths
 * end there, and all of them in keys, which are names. Schemas refuse others in their fields by {@link singleLine} and
 * {@link argumentText}. Halves of characters are refused in any text and key: UTF-8 has none, so a name with one would be stored
 * as another name.
 */
export function reportControlCharacters(value: unknown, path: Path, report: ProblemReporter): void {
  if (typeof value === 'string') {
    const problem = faultIn('text', value, withoutNul);
    if (problem !== undefined) report.add('E_CONTROL_CHARACTER', { path, ...problem });
  } else if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) reportControlCharacters(entry, [...path, index], report);
  } else if (isMapping(value)) {
    for (const [key, entry] of Object.entries(value)) {
      const at = [...path, key];
      const problem = faultIn('key', key, singleLine);
      if (problem !== undefined) report.add('E_CONTROL_CHARACTER', { path: at, atKey: true, ...problem });
      reportControlCharacters(entry, at, report);
    }
  }
}

/** Returns the problem of a text or a key; undefined when it has none. */
function faultIn(what: 'text' | 'key', text: string, allowed: RegExp): Wording | undefined {
  if (!allowed.test(text)) return problemOf(what, text, allowed);
  return halfCharacter.test(text) ? halfOf(what, text) : undefined;
}

type Wording = Pick<DocumentProblem, 'message' | 'hint'>;

/** Returns the problem of a text that a schema refuses by one of the patterns; undefined for another pattern. */
export function controlCharacterProblem(text: unknown, pattern: string | undefined): Wording | undefined {
  const allowed = [singleLine, argumentText].find((one) => String(one) === pattern);
  return allowed === undefined || typeof text !== 'string' ? undefined : problemOf('text', text, allowed);
}

function problemOf(what: 'text' | 'key', text: string, allowed: RegExp): Wording {
  const found = [...text].find((character) => !allowed.test(character)) ?? '';
  return wordingOf(`The ${what} contains the control character U+${codeOf(found)}`);
}

function halfOf(what: 'text' | 'key', text: string): Wording {
  const found = [...text].find((character) => halfCharacter.test(character)) ?? '';
  return wordingOf(`The ${what} contains one half of a character, U+${codeOf(found)}, without the other`);
}

const codeOf = (character: string): string => character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');

const wordingOf = (message: string): Wording => ({
  message,
  hint: 'Remove it, also from the variables that are used here.',
});
