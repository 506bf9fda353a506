const size = 500;
const overlap = 50;

/** Splits a text into overlapping parts of at most 500 characters, at the end of a sentence if one is close. */
export function chunksOf(text: string): readonly string[] {
  const characters = Array.from(text);
  if (characters.length <= size) return text.trim() === '' ? [] : [text];
  const chunks: string[] = [];
  for (let start = 0; start < characters.length; ) {
    const part = characters.slice(start, start + size);
    const end = start + size < characters.length ? sentenceEnd(part) : part.length;
    chunks.push(part.slice(0, end).join('').trim());
    if (start + end >= characters.length) break;
    start += end - overlap;
  }
  return chunks.filter((chunk) => chunk !== '');
}

function sentenceEnd(part: readonly string[]): number {
  const last = part.findLastIndex((character) => '。！？.!?\n'.includes(character));
  return last > size / 2 ? last + 1 : part.length;
}
