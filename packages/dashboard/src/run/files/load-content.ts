interface LoadOptions {
  readonly signal: AbortSignal;
  /** Loads only this many bytes from the beginning. */
  readonly bytes?: number;
}

/** Loads the content of a file, or the beginning of it. */
export async function loadContent(place: string, { signal, bytes }: LoadOptions): Promise<ArrayBuffer> {
  const headers = bytes === undefined ? {} : { range: `bytes=0-${bytes - 1}` };
  const response = await fetch(place, { signal, headers });
  if (!response.ok) throw new Error(`The server answered with the status ${response.status}.`);
  return response.arrayBuffer();
}
