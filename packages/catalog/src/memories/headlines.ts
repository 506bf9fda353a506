/** Returns a text without the headlines that name the source of each input: they are the same in all texts. */
export const withoutHeadlines = (text: string): string =>
  text.replace(/^=== INPUT FROM .* \(\w+\) ===$\n*/gm, '').trim();
