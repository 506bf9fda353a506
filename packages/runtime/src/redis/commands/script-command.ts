import { Command } from 'ioredis';

/** A script in Lua, with the digest by which Redis knows it. */
export interface Script {
  readonly text: string;
  readonly digest: string;
}

/** Keys and arguments of a script: texts, bytes, or values that are sent as the client sends them. */
export interface ScriptArguments {
  readonly keys: readonly unknown[];
  readonly args: readonly unknown[];
}

const inUtf8 = { replyEncoding: 'utf8' } as const;

/** Digests of the scripts that have been sent on a socket. */
const sentOn = new WeakMap<object, Set<string>>();

/**
 * A call of a script, encoded in one pass when it is written: the client's own commands copy and inspect their
 * arguments several times, and a commit has dozens. The text is sent once on each socket, as Redis may have been
 * restarted, and the digest after that. (To send the digest first, and the text after a failure, would let later
 * commands overtake, such as the wakes of a commit, which would find no activation.)
 */
export class ScriptCommand extends Command {
  readonly #script: Script;
  readonly #call: ScriptArguments;
  #socket: object | undefined;

  constructor(script: Script, call: ScriptArguments) {
    // The client needs no more of the arguments than the key by which a cluster finds the node.
    super('evalsha', [script.digest, '1', String(call.keys[0] ?? '')], inUtf8);
    this.#script = script;
    this.#call = call;
  }

  /** Notes that Redis does not know the script: it is sent as text when it is called again. */
  forget(): void {
    if (this.#socket !== undefined) sentOn.get(this.#socket)?.delete(this.#script.digest);
  }

  override toWritable(socket: object): string | Buffer {
    this.#socket = socket;
    const { keys, args } = this.#call;
    const writer = new ArgumentWriter(socket as Writable, keys.length + args.length + 3);
    writer.add(this.#isKnownOn(socket) ? ['evalsha', this.#script.digest] : ['eval', this.#script.text]);
    writer.add([String(keys.length)]);
    writer.add(keys);
    writer.add(args);
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

interface Writable {
  write(chunk: string | Buffer): unknown;
}

/** Longest packet whose texts are kept until the next one, in characters. */
const keptLength = 64 * 1024;

/**
 * Lengths and texts of the arguments that are being written, in turn, after the beginning of their packet. All commands use
 * the same list: texts that are joined once need less memory than texts that are appended one by one.
 */
const pieces: string[] = [];

/**
 * Writes arguments in the protocol of Redis: a line with the length in bytes, and one with the argument. Nearly all texts
 * are ASCII, with as many bytes as characters, so the bytes are counted once for all of them, and one by one only if that
 * does not hold.
 */
class ArgumentWriter {
  readonly #socket: Writable;
  #size = 0;

  constructor(socket: Writable, count: number) {
    this.#socket = socket;
    this.#begin(`*${count}`);
  }

  add(values: readonly unknown[]): void {
    for (const value of values) {
      if (typeof value === 'string') this.#addText(value);
      else if (Buffer.isBuffer(value)) this.#addBytes(value);
      else this.#addText(value === null || value === undefined ? '' : String(value));
    }
  }

  /** Returns what has not been written yet. */
  rest(): string {
    pieces[this.#size++] = '\r\n';
    return this.#joined();
  }

  #begin(text: string): void {
    pieces[0] = text;
    this.#size = 1;
  }

  #addText(text: string): void {
    pieces[this.#size++] = lengthLine(text.length);
    pieces[this.#size++] = text;
  }

  #addBytes(bytes: Buffer): void {
    pieces[this.#size++] = lengthLine(bytes.length);
    this.#socket.write(this.#joined());
    this.#socket.write(bytes);
    this.#begin('');
  }

  #joined(): string {
    pieces.length = this.#size;
    const text = pieces.join('');
    const whole = Buffer.byteLength(text) === text.length ? text : withLengthsInBytes();
    if (whole.length > keptLength) pieces.length = 0;
    return whole;
  }
}

/** Corrects the length of each text. The last piece has none: it is the end, or the length of bytes that follow. */
function withLengthsInBytes(): string {
  for (let at = 2; at < pieces.length; at += 2) pieces[at - 1] = lengthLine(Buffer.byteLength(pieces[at] ?? ''));
  return pieces.join('');
}

/** Ends the line before, and adds the one with the length of an argument. */
const lengthLine = (bytes: number): string => shortLengthLines[bytes] ?? `\r\n$${bytes}\r\n`;

const shortLengthLines = Array.from({ length: 512 }, (_, bytes) => `\r\n$${bytes}\r\n`);
