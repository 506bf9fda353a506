/**
 * Bounds of what models, services and programs send. Replies of models, of services and of servers of tools, and lines of
 * programs that answer in JSON, pass a `MessageMeter` before they are held as a whole or parsed. Bytes alone do not bound
 * memory: the three bytes `{},` become an object of 50 bytes, and a report of 300 bytes when a schema refuses it. So
 * values and nesting are counted, too, without parsing.
 */

/** The largest message that is read. */
export interface MessageLimits {
  /** Bytes of one message. */
  readonly bytes: number;
  /** Entries of lists and fields of objects in one message. */
  readonly values: number;
  /** Lists and objects within each other. */
  readonly depth: number;
  /** Bytes of a stream of messages; absent: any number. */
  readonly streamBytes?: number;
  /** Messages of a stream; absent: any number. */
  readonly messages?: number;
}

/** The end of a message: the end of the body, of a line, or of a server-sent event, which is a blank line. */
export type Framing = 'body' | 'lines' | 'events';

/** A limit of messages that was exceeded. */
export type ExceededLimit = keyof MessageLimits | 'pieces';

const mebibyte = 1024 * 1024;
/** Pieces in which one message may arrive: each takes some 200 bytes of memory, even if it is a single byte. */
const mostPieces = 100_000;

const descriptions: { readonly [Limit in ExceededLimit]: (most: number) => string } = {
  pieces: (most) => `arrives in more than ${most.toLocaleString('en')} pieces`,
  bytes: (most) => `is larger than ${most / mebibyte} MiB`,
  values: (most) => `has more than ${most.toLocaleString('en')} values`,
  depth: (most) => `has lists or objects that are nested more than ${most} deep`,
  streamBytes: (most) => `is a stream of more than ${most / mebibyte} MiB`,
  messages: (most) => `is a stream of more than ${most.toLocaleString('en')} messages`,
};

/** Returns the rest of a sentence about a message that exceeds a limit, such as "is larger than 16 MiB". */
export const describeExceeded = (limit: ExceededLimit, limits: MessageLimits): string =>
  descriptions[limit](limit === 'pieces' ? mostPieces : (limits[limit] ?? 0));

const [lineFeed, carriageReturn, quote, comma, backslash, letterD, lastAscii] = [10, 13, 34, 44, 92, 100, 127];
const [openList, closeList, openObject, closeObject] = [91, 93, 123, 125];

/** Counts the bytes, values and nesting of messages as they arrive. */
export class MessageMeter {
  readonly #framing: Framing;
  readonly #limits: MessageLimits;
  #streamBytes = 0;
  #messages = 0;
  #messagesEnd = 0;
  #pieces = 0;
  #bytes = 0;
  #values = 0;
  #depth = 0;
  #deepest = 0;
  #isInText = false;
  #isEscaped = false;
  #isLineStart = true;
  /** The line has data; other lines of an event, such as comments, are not parsed as JSON. */
  #isData = true;
  /** The line has no text up to now. */
  #isBlank = true;

  constructor(framing: Framing, limits: MessageLimits) {
    this.#framing = framing;
    this.#limits = limits;
  }

  /** Offset in the last chunk behind the last message that has ended in it; 0: none has. */
  get messagesEnd(): number {
    return this.#messagesEnd;
  }

  /** Returns the limit that is exceeded with these bytes; undefined: none. */
  add(chunk: Uint8Array): ExceededLimit | undefined {
    this.#messagesEnd = 0;
    this.#streamBytes += chunk.length;
    if (isAbove(this.#streamBytes, this.#limits.streamBytes)) return 'streamBytes';
    this.#pieces++;
    if (this.#pieces > mostPieces) return 'pieces';
    for (let from = 0; from < chunk.length; ) {
      const lineEnd = this.#framing === 'body' ? -1 : chunk.indexOf(lineFeed, from);
      const part = chunk.subarray(from, lineEnd === -1 ? chunk.length : lineEnd + 1);
      const exceeded = this.#addPart(part);
      if (exceeded !== undefined) return exceeded;
      if (lineEnd !== -1 && this.#endLine()) this.#messagesEnd = lineEnd + 1;
      if (isAbove(this.#messages, this.#limits.messages)) return 'messages';
      from += part.length;
    }
    return undefined;
  }

  /** Counts the bytes and messages of the stream from 0 again. */
  restart(): void {
    this.#streamBytes = 0;
    this.#messages = 0;
  }

  /** Adds a part of a message that contains no line feed but at its end. */
  #addPart(part: Uint8Array): ExceededLimit | undefined {
    const { bytes, values, depth } = this.#limits;
    this.#bytes += part.length;
    if (this.#bytes > bytes) return 'bytes';
    for (let at = 0; at < part.length; at++) {
      if (this.#isInText && !this.#isEscaped) at = endOfPlainText(part, at);
      const byte = part[at];
      if (byte === undefined) break;
      if (byte === lineFeed || byte === carriageReturn) this.#startLine();
      else if (this.#isInText) this.#addToText(byte);
      else this.#addOutsideOfText(byte);
    }
    if (this.#values > values) return 'values';
    return this.#deepest > depth ? 'depth' : undefined;
  }

  /** A text in JSON contains no line break, so an unpaired quote in one line hides nothing of the next one. */
  #startLine(): void {
    this.#isLineStart = true;
    this.#isInText = false;
    this.#isEscaped = false;
  }

  #addToText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) this.#isInText = false;
  }

  #addOutsideOfText(byte: number): void {
    if (this.#isLineStart) {
      this.#isLineStart = false;
      this.#isBlank = false;
      this.#isData = this.#framing !== 'events' || byte === letterD || byte > lastAscii;
    }
    if (!this.#isData) return;
    if (byte === quote) this.#isInText = true;
    else if (byte === comma) this.#values++;
    else if (byte === openList || byte === openObject) this.#open();
    else if ((byte === closeList || byte === closeObject) && this.#depth > 0) this.#depth--;
  }

  #open(): void {
    this.#values++;
    this.#depth++;
    if (this.#depth > this.#deepest) this.#deepest = this.#depth;
  }

  /** Returns whether the message has ended with its line. */
  #endLine(): boolean {
    const isEnd = this.#framing === 'lines' || this.#isBlank;
    this.#isBlank = true;
    if (!isEnd) return false;
    this.#messages++;
    this.#pieces = 0;
    this.#bytes = 0;
    this.#values = 0;
    this.#depth = 0;
    this.#deepest = 0;
    return true;
  }
}

/** Returns the offset of the next byte that has a meaning in a text; most bytes have none. */
function endOfPlainText(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote || byte === backslash || byte === lineFeed || byte === carriageReturn) break;
  }
  return at;
}

const isAbove = (count: number, most: number | undefined): boolean => most !== undefined && count > most;

/** Limits of responses, and what happens when one exceeds them. */
export interface ResponseBounds {
  /** Limits of a response that is read as a whole. */
  readonly body: MessageLimits;
  /** Limits of a response of server-sent events; absent: those of a whole one. */
  readonly events?: MessageLimits;
  /** Returns the error of a response that exceeds a limit; the rest of it is not read. */
  refuse(limit: ExceededLimit, limits: MessageLimits): Error;
  /** Called with the error of a response that breaks off. */
  onBroken?(error: unknown): void;
}

/** Returns the same response with a body that fails when it exceeds a limit. */
export function boundedResponse(response: Response, bounds: ResponseBounds): Response {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  const isStream = bounds.events !== undefined && headers.get('content-type')?.includes('text/event-stream') === true;
  const body = boundedStream(response.body, isStream ? 'events' : 'body', bounds);
  return new Response(body, { status, statusText, headers });
}

/**
 * Returns the body, up to the limits. An event is passed on as a whole: readers of events look for its end from its
 * beginning at every piece, and one of 16 MiB in pieces of 64 KiB keeps them busy for many seconds. The same holds for a body of
 * another type, in which they look for events, too.
 */
function boundedStream(
  body: ReadableStream<Uint8Array>,
  framing: 'body' | 'events',
  bounds: ResponseBounds,
): ReadableStream<Uint8Array> {
  const limits = framing === 'events' ? (bounds.events ?? bounds.body) : bounds.body;
  const meter = new MessageMeter(framing, limits);
  const reader = body.getReader();
  let held: Uint8Array[] = [];
  const next = async (): Promise<Uint8Array | undefined> => {
    const read = await reader.read().catch((error: unknown) => {
      bounds.onBroken?.(error);
      throw error;
    });
    if (read.done) return undefined;
    const exceeded = meter.add(read.value);
    if (exceeded === undefined) return read.value;
    const error = bounds.refuse(exceeded, limits);
    // A server that does not notice the end must not delay the error.
    reader.cancel(error).catch(() => undefined);
    throw error;
  };
  /** Returns what is complete with a chunk, and holds the rest; undefined: nothing. */
  const completed = (chunk: Uint8Array): Uint8Array | undefined => {
    const end = framing === 'events' ? meter.messagesEnd : blankLineEnd(chunk);
    if (end === 0) return void held.push(chunk);
    const whole = joined([...held, chunk.subarray(0, end)]);
    held = end < chunk.length ? [chunk.subarray(end)] : [];
    return whole;
  };
  return new ReadableStream({
    async pull(controller) {
      for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
        const whole = completed(chunk);
        if (whole !== undefined) return controller.enqueue(whole);
      }
      if (held.length > 0) controller.enqueue(joined(held));
      controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Returns the offset behind the last blank line of a chunk; 0: it has none. */
function blankLineEnd(chunk: Uint8Array): number {
  for (let at = chunk.lastIndexOf(lineFeed); at > 0; at = chunk.lastIndexOf(lineFeed, at - 1)) {
    if (chunk[at - 1] === lineFeed) return at + 1;
  }
  return 0;
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const whole = new Uint8Array(chunks.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Reads the beginning of a body as text, at most so many bytes; the rest is not read. */
export async function readTextStart(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk.subarray(0, maxBytes - size), { stream: true });
    size += chunk.length;
    if (size >= maxBytes) break;
  }
  return text + decoder.decode();
}
