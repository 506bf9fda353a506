/** Many texts as one: to receive each of some hundred thousand from another process takes a long turn of the event loop. */
export interface PackedTexts {
  readonly text: string;
  /** Ends of the texts in it. */
  readonly ends: Uint32Array;
}

/** Packs texts for another process. */
export function packTexts(texts: readonly string[]): PackedTexts {
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (const [at, { length }] of texts.entries()) {
    end += length;
    ends[at] = end;
  }
  return { text: texts.join(''), ends };
}

/** Returns the texts again, one after the other. */
export function* unpackTexts({ text, ends }: PackedTexts): Generator<string> {
  let start = 0;
  for (const end of ends) {
    yield text.slice(start, end);
    start = end;
  }
}
