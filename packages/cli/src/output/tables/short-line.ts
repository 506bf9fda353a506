const longest = 72;

/** Returns a text as one line of at most 72 characters. */
export function shortLine(text: string): string {
  const flat = [...text.slice(0, 1000).replace(/\s+/g, ' ').trim()];
  return flat.length > longest ? `${flat.slice(0, longest - 1).join('')}…` : flat.join('');
}
