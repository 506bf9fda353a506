/** Returns a text in the form that embedding models expect: words and spaces only. */
export const cleanText = (text: string): string =>
  text
    .replace(/[^\p{L}\p{N}_\s]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Returns the parts of a text, each at most `length` characters long, split between sentences where possible. */
export function partsOf(text: string, length: number): readonly string[] {
  const parts: string[] = [];
  let part = '';
  for (const sentence of text.split(/[。！？；\n]/).flatMap((one) => slices(one.trim(), length))) {
    if (part !== '' && part.length + sentence.length > length) {
      parts.push(part);
      part = '';
    }
    part += `${sentence}。`;
  }
  return part === '' ? parts : [...parts, part];
}

function slices(text: string, length: number): readonly string[] {
  const cut: string[] = [];
  for (let at = 0; at < text.length; at += length) cut.push(text.slice(at, at + length));
  return cut;
}
