/** What was said, without the headlines that tell from whom it came: they are the same for everything. */
export const withoutHeadlines = (text: string): string =>
  text.replace(/^=== INPUT FROM .* \(\w+\) ===$\n*/gm, '').trim();
