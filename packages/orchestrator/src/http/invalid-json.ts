/** Longest body in which the place of an error is looked for, in characters: the search parses parts of it some 20 times. */
const searched = 100_000;

/** Returns what is wrong with a text that JSON or the server refuses, and the place where it is. */
export function describeInvalidJson(text: string): string {
  if (isJson(text)) {
    return 'The body names a key that no object may have: "__proto__", or "prototype" within "constructor".';
  }
  if (text.length > searched) return 'The body is not valid JSON.';
  const position = validUntil(text);
  const lines = text.slice(0, position).split('\n');
  const place = `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
  return position === text.length
    ? `The body is not valid JSON: it ends too early, at ${place}.`
    : `The body is not valid JSON at ${place} (position ${position}).`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the length of the longest beginning that some text would complete to JSON. */
function validUntil(text: string): number {
  let [valid, invalid] = [0, text.length + 1];
  while (invalid - valid > 1) {
    const middle = Math.floor((valid + invalid) / 2);
    if (canBeCompleted(text.slice(0, middle))) valid = middle;
    else invalid = middle;
  }
  return valid;
}

/** Returns whether a text is JSON, or only its end is missing: the parser then names the end as the place of the error. */
function canBeCompleted(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as SyntaxError; // the parser throws nothing else
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    return message.includes('end of JSON input') || Number(position) === text.length;
  }
}
