import { Command } from 'ioredis';

/** A script in Lua, with the digest by which Redis knows it. */
export interface Script {
  readonly text: string;
  readonly digest: string;
}

/**
 * Keys of a script, and then its arguments: texts, bytes, or values that are sent as the client sends them. A list stands for
 * its entries.
 */
export interface ScriptValues {
  readonly keyCount: number;
  readonly values: readonly unknown[];
}

const inUtf8 = { replyEncoding: 'utf8' } as const;

/** Digests of the scripts that have been sent on a socket. */
const sentOn = new WeakMap<object, Set<string>>();

/**
 * A call of a script, encoded in one pass when it is written: the client's own commands copy and inspect their
 * arguments several times, and a commit has dozens: 3 µs instead of 9, as `npm run bench -- --only encode` measures. The
 * bytes are those of the client, as the test of this file compares. The text is sent once on each socket, as Redis may have been
 * restarted, and the digest after that. (To send the digest first, and the text after a failure, would let later
 * commands overtake, such as the wakes of a commit, which would find no activation.)
 */
export class ScriptCommand extends Command {
  readonly #script: Script;
  readonly #call: ScriptValues;
  #socket: object | undefined;

  constructor(script: Script, call: ScriptValues) {
    super('evalsha', [], inUtf8);
    // The client needs no more of the arguments than the key by which a cluster finds the node; its constructor would copy them.
    this.args = [script.digest, '1', String(firstOf(call.values) ?? '')];
    this.#script = script;
    this.#call = call;
  }

  /** Notes that Redis does not know the script: it is sent as text when it is called again. */
  forget(): void {
    if (this.#socket !== undefined) sentOn.get(this.#socket)?.delete(this.#script.digest);
  }

  override toWritable(socket: object): string | Buffer {
    this.#socket = socket;
    const { keyCount, values } = this.#call;
    const isKnown = this.#isKnownOn(socket);
    const writer = new ArgumentWriter(socket as Writable, piecesOf(this.#script), countOf(values) + 3);
    writer.addText(isKnown ? 'evalsha' : 'eval');
    writer.addText(isKnown ? this.#script.digest : this.#script.text);
    writer.addText(String(keyCount));
    writer.add(values);
    return writer.rest();
  }

  #isKnownOn(socket: object): boolean {
    const digests = sentOn.get(socket);
    if (digests === undefined) sentOn.set(socket, new Set([this.#script.digest]));
    else if (digests.has(this.#script.digest)) return true;
    else digests.add(this.#script.digest);
    return false;
  }
}

const firstOf = (values: readonly unknown[]): unknown => {
  const [first] = values;
  return Array.isArray(first) ? firstOf(first) : first;
};

function countOf(values: readonly unknown[]): number {
  let count = 0;
  for (const value of values) count += Array.isArray(value) ? countOf(value) : 1;
  return count;
}

interface Writable {
  write(chunk: string | Buffer): unknown;
}

/** Longest packet whose texts are kept until the next one, in characters. */
const keptLength = 64 * 1024;

/**
 * Lengths and texts of the arguments that are being written, in turn, after the beginning of their packet. Texts that are
 * joined once need less memory than texts that are appended one by one.
 */
type Pieces = string[];

/**
 * The pieces of each script, as several lists if there are bytes between them. Most calls of a script have about as many
 * arguments, so that lists that are used again need not grow.
 */
const piecesOfScripts = new WeakMap<Script, Pieces[]>();

function piecesOf(script: Script): Pieces[] {
  const known = piecesOfScripts.get(script);
  if (known !== undefined) return known;
  const lists: Pieces[] = [];
  piecesOfScripts.set(script, lists);
  return lists;
}

/**
 * Writes arguments in the protocol of Redis: a line with the length in bytes, and one with the argument. Nearly all texts
 * are ASCII, with as many bytes as characters, so the bytes are counted once for all of them, and one by one only if that
 * does not hold.
 */
class ArgumentWriter {
  readonly #socket: Writable;
  readonly #lists: Pieces[];
  #list = 0;
  #pieces: Pieces;
  #size = 1;

  constructor(socket: Writable, lists: Pieces[], count: number) {
    this.#socket = socket;
    this.#lists = lists;
    this.#pieces = this.#nextList(`*${count}`);
  }

  add(values: readonly unknown[]): void {
    for (const value of values) {
      if (typeof value === 'string') this.addText(value);
      else if (Array.isArray(value)) this.add(value);
      else if (Buffer.isBuffer(value)) this.#addBytes(value);
      else this.addText(textOf(value));
    }
  }

  addText(text: string): void {
    this.#pieces[this.#size++] = lengthLine(text.length);
    this.#pieces[this.#size++] = text;
  }

  /** Returns what has not been written yet. */
  rest(): string {
    this.#pieces[this.#size++] = '\r\n';
    return this.#joined();
  }

  #addBytes(bytes: Buffer): void {
    this.#pieces[this.#size++] = lengthLine(bytes.length);
    this.#socket.write(this.#joined());
    this.#socket.write(bytes);
    this.#pieces = this.#nextList('');
    this.#size = 1;
  }

  #nextList(first: string): Pieces {
    const pieces = this.#lists[this.#list] ?? [];
    this.#lists[this.#list++] = pieces;
    pieces[0] = first;
    return pieces;
  }

  #joined(): string {
    const pieces = this.#pieces;
    pieces.length = this.#size;
    const text = pieces.join('');
    const whole = Buffer.byteLength(text) === text.length ? text : withLengthsInBytes(pieces);
    if (whole.length > keptLength) this.#lists.length = 0;
    return whole;
  }
}

/** Returns a value as the client sends it: large integers without an exponent. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const isLarge = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isLarge ? String(BigInt(value)) : String(value);
}

/** Corrects the length of each text. The last piece has none: it is the end, or the length of bytes that follow. */
function withLengthsInBytes(pieces: Pieces): string {
  for (let at = 2; at < pieces.length; at += 2) pieces[at - 1] = lengthLine(Buffer.byteLength(pieces[at] ?? ''));
  return pieces.join('');
}

/** Ends the line before, and adds the one with the length of an argument. */
const lengthLine = (bytes: number): string => shortLengthLines[bytes] ?? `\r\n$${bytes}\r\n`;

const shortLengthLines = Array.from({ length: 512 }, (_, bytes) => `\r\n$${bytes}\r\n`);
