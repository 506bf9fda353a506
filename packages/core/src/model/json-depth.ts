/**
 * Maximum number of levels of the JSON of people and models, as in Python. What nests deeper can be parsed, but is neither
 * written nor copied again: that is recursive, and needs too much stack from some 4,000 levels on.
 */
export const maxJsonDepth = 1000;

const [quote, backslash, openList, closeList, openFields, closeFields] = [...'"\\[]{}'].map((one) => one.charCodeAt(0));

/** Returns whether a text, if it is JSON, nests more deeply than {@link maxJsonDepth}. It is linear, and not recursive. */
export function nestsTooDeeply(text: string): boolean {
  if (text.length <= maxJsonDepth) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openList || code === openFields) {
      if (++depth > maxJsonDepth) return true;
    } else if (code === closeList || code === closeFields) depth--;
  }
  return false;
}

/** Returns whether a value nests more deeply than {@link maxJsonDepth}. It is linear, and not recursive. */
export function isTooDeep(value: unknown): boolean {
  let level: readonly object[] = isObject(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxJsonDepth) return true;
    level = level.flatMap((one) => Object.values(one).filter(isObject));
  }
  return false;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Returns the position of the quote that ends the string at a position, or the length of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash) at++;
  }
  return text.length;
}
