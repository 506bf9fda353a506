/** Returns the number of characters as people count them. */
export const lengthOf = (text: string): number => Array.from(text).length;

/** Returns the first `length` characters of a text, with a mark if it is longer. */
export function cutText(text: string, length: number, mark: string): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : characters.slice(0, length).join('') + mark;
}

/** Phrases of system prompts that carry no information. */
const phrases = [
  /(?:You are|你是一位).*?(?:,|，)/g,
  /(?:User will input|用户会输入).*?(?:,|，)/g,
  /(?:You need to|你需要).*?(?:,|，)/g,
];

const maxLength = 500;
const minLength = 20;

/**
 * Returns the essential part of a long text, in at most 500 characters: its first three sentences of sufficient length,
 * without phrases of system prompts. Only Chinese punctuation ends sentences; other texts are cut.
 */
export function compressedText(text: string): string {
  const flat = text.trim().replace(/\s+/g, ' ');
  if (lengthOf(flat) <= 100) return flat;
  const rest = phrases.reduce((left, phrase) => left.replace(phrase, ''), flat);
  const sentences = rest
    .split(/[。！？；]/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => lengthOf(sentence) >= minLength);
  if (sentences.length === 0) return cutText(rest, maxLength, '');
  return cutText(sentences.slice(0, 3).join('。'), maxLength, '...').trim();
}
