const tones = ['running', 'completed', 'terminated', 'waiting', 'quiet'] as const;

/** Returns a tone for a name, always the same one. The initial beside it identifies the speaker. */
export function toneOfName(name: string): (typeof tones)[number] {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9_973;
  return tones[sum % tones.length] ?? tones[0];
}
