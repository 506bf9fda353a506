import { createParser } from 'eventsource-parser';
import { ReportedFailure, readReport } from '../../model-calls/reported-error.ts';

/** An event of a streamed reply, or its end as the server marks it (`[DONE]`). */
export type StreamedEvent = { readonly type: 'data'; readonly data: unknown } | { readonly type: 'done' };

/** Reads the events of a streamed reply. Throws a ReportedFailure for an event that reports an error. */
export async function* readEvents({ body }: Response): AsyncGenerator<StreamedEvent> {
  if (body === null) return;
  let read: StreamedEvent[] = [];
  const parser = createParser({
    onEvent({ event, data }) {
      if (data.trim() === '[DONE]') read.push({ type: 'done' });
      else if (event === 'error') throw new ReportedFailure(readReport(data));
      else if (data.trim() !== '') read.push({ type: 'data', data: parse(data) });
    },
  });
  const decoder = new TextDecoder();
  // Node's streams are iterable; the types of the web's are not.
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* read;
    read = [];
  }
  // A server may close the connection without the empty line that ends an event.
  parser.feed(`${decoder.decode()}\n\n`);
  yield* read;
}

/** Parses a body or an event; throws a SyntaxError that describes a page by its title. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError(readReport(text.slice(0, 2000)).message.slice(0, 200));
  }
}
