/** Content that a `data:` URI contains. */
export interface InlineContent {
  readonly mimeType: string;
  readonly base64: string;
}

/** Returns the content of a `data:` URI; undefined for every other address. */
export function inlineContent(uri: string): InlineContent | undefined {
  const [, mimeType = '', encoding, data = ''] = /^data:([^,;]*)(?:;[^,;]*)*?(;base64)?,(.*)$/s.exec(uri) ?? [];
  if (!uri.startsWith('data:')) return undefined;
  const base64 = encoding === undefined ? Buffer.from(decodeURIComponent(data)).toString('base64') : data;
  return { mimeType: mimeType === '' ? 'text/plain' : mimeType, base64 };
}
