/**
 * Returns why a text cannot be an API key, without the text; undefined if it can be one. Keys are sent in headers, which hold no such
 * characters: the request would fail in this process, and no retry would help.
 */
export function problemOfKey(key: string): string | undefined {
  const [character] = /[^\t\x20-\x7e\x80-\xff]/u.exec(key.trim()) ?? [];
  if (character === undefined) return undefined;
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return `The API key contains the character ${code}, which no key contains: it is not a whole key, or more than one. Set the key again where the worker runs.`;
}
