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

/** Writes arguments in the protocol of Redis: a line with the length in bytes, and one with the argument. */
class ArgumentWriter {
  readonly #socket: Writable;
  #text: string;

  constructor(socket: Writable, count: number) {
    this.#socket = socket;
    this.#text = `*${count}`;
  }

  add(values: readonly unknown[]): void {
    for (const value of values) {
      if (typeof value === 'string') this.#addText(value);
      else if (Buffer.isBuffer(value)) this.#addBytes(value);
      else this.#addText(value === null || value === undefined ? '' : String(value));
    }
  }

  #addText(text: string): void {
    this.#text += lengthLine(Buffer.byteLength(text)) + text;
  }

  #addBytes(bytes: Buffer): void {
    this.#socket.write(this.#text + lengthLine(bytes.length));
    this.#socket.write(bytes);
    this.#text = '';
  }

  /** Returns what has not been written yet. */
  rest(): string {
    return `${this.#text}\r\n`;
  }
}

/** Ends the line before, and adds the one with the length of an argument. */
const lengthLine = (bytes: number): string => shortLengthLines[bytes] ?? `\r\n$${bytes}\r\n`;

const shortLengthLines = Array.from({ length: 512 }, (_, bytes) => `\r\n$${bytes}\r\n`);
