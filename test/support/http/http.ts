import type { JournalEntry } from '@millrace/core';

/** Response to a request. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of the body, as it came. */
  readonly body: Record<string, unknown>;
}

/** Asks an HTTP API; with a body, by POST. */
export async function ask(url: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
  const post = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  };
  const response = await fetch(url, body === undefined ? { headers } : post);
  const text = await response.text();
  const json: Record<string, unknown> = text === '' ? {} : JSON.parse(text);
  return { status: response.status, headers: response.headers, body: json };
}

/** Reads server-sent events after an id, until one is the last that is wanted, or the stream ends. */
export async function follow(
  url: string,
  { after, until = () => false }: { after?: string | undefined; until?: (entry: JournalEntry) => boolean } = {},
): Promise<JournalEntry[]> {
  const headers = { accept: 'text/event-stream', ...(after === undefined ? {} : { 'last-event-id': after }) };
  const response = await fetch(url, { headers });
  const entries: JournalEntry[] = [];
  if (response.body === null) return entries;
  let rest = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = `${rest}${chunk}`.split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const entry = entryOf(frame);
      if (entry === undefined) continue;
      entries.push(entry);
      // Leaving the loop cancels the body, which closes the connection.
      if (until(entry)) return entries;
    }
  }
  return entries;
}

function entryOf(frame: string): JournalEntry | undefined {
  const [, id, data] = /^id: (\S+)\ndata: (.+)$/.exec(frame) ?? [];
  if (id === undefined || data === undefined) return undefined;
  const entry: JournalEntry = JSON.parse(data);
  if (entry.id !== id) throw new Error(`the event ${id} says that it is ${entry.id}`);
  return entry;
}
