import { isTooDeep } from '@millrace/core';
import { inexactNumber } from '@millrace/core/exact-numbers';

/** Maximum length of arguments that a person is asked about, in characters. */
const longestArguments = 100_000;

/** Returns why nobody can be asked about arguments; undefined if people can read exactly what is sent. */
export function unreadable(args: Readonly<Record<string, unknown>>): string | undefined {
  if (isTooDeep(args)) return 'its arguments nest too deeply';
  const written = JSON.stringify(args);
  if (written.length > longestArguments)
    return `its arguments have more than ${longestArguments.toLocaleString('en')} characters, which is too much for a person to approve`;
  const inexact = inexactNumber(written);
  if (inexact !== undefined) return `its number ${inexact} cannot be sent exactly; write it as a text`;
  return isReadable(args) ? undefined : 'its arguments contain what JSON cannot show, so nobody can approve them';
}

function isReadable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isReadable(key) && isReadable(inner));
}
