/** Strings and numbers of JSON: digits within a string are no number. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/**
 * Returns the first number in JSON that cannot be passed on exactly: a whole number beyond 2^53, such as an id of a service, which
 * is read as another one, or has been already; or one that is too large for any. Undefined if there is none. Fractions, and
 * numbers with an exponent, are rounded as everywhere.
 */
export function inexactNumber(json: string): string | undefined {
  for (const [token] of json.matchAll(tokens)) if (!token.startsWith('"') && isInexact(token)) return token;
  return undefined;
}

const isInexact = (written: string): boolean =>
  /^-?\d+$/.test(written) ? !Number.isSafeInteger(Number(written)) : !Number.isFinite(Number(written));
