/** Strings and numbers of JSON: digits within a string are no number. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/**
 * Returns the first number in JSON that cannot be passed on exactly: a number of 2^53 or more whose digits are more than can be
 * kept, such as an id of a service, which is read as another one, or has been already; or one that is too large for any, or so
 * small that it is read as 0. Undefined if there is none. Fractions below are rounded as everywhere.
 */
export function inexactNumber(json: string): string | undefined {
  for (const [token] of json.matchAll(tokens)) if (!token.startsWith('"') && isInexact(token)) return token;
  return undefined;
}

function isInexact(written: string): boolean {
  const value = Number(written);
  if (!Number.isFinite(value)) return true;
  if (/^-?\d+$/.test(written)) return !Number.isSafeInteger(value);
  return (value === 0 || Math.abs(value) > Number.MAX_SAFE_INTEGER) && decimalOf(written) !== decimalOf(String(value));
}

/**
 * Returns the absolute value of a number in one form, whichever way it is written: its digits from the first to the last that is
 * not 0, and the power of ten that they are multiplied by.
 */
function decimalOf(written: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(written) ?? [];
  const digits = `${whole}${fraction}`;
  const first = digits.search(/[1-9]/);
  if (first === -1) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return `${digits.slice(first, end)} ${Number(exponent) - fraction.length + digits.length - end}`;
}
