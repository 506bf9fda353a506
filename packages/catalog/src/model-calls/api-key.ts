/** Returns the name, such as U+2026, of the first character of a text that no header of a request can contain; undefined if there is none. */
export function unsendableCharacter(text: string): string | undefined {
  const [character] = /[^\t\x20-\x7e\x80-\xff]/u.exec(text.trim()) ?? [];
  return character && `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Returns why a text cannot be an API key, without the text; undefined if it can be one. Keys are sent in headers: the request would fail
 * in this process, and no retry would help.
 */
export function problemOfKey(key: string): string | undefined {
  const character = unsendableCharacter(key);
  if (character === undefined) return undefined;
  return `The API key contains the character ${character}, which no key contains: it is not a whole key, or more than one. Set the key again where the worker runs.`;
}
