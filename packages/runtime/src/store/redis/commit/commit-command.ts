import { Command } from 'ioredis';
import type { ScriptCall } from './command-list.ts';

/**
 * A call of commit.lua that is encoded in one pass. The client's own encoding copies and inspects the arguments, of
 * which a commit has dozens, several times.
 */
export class CommitCommand extends Command {
  readonly #packet: string;

  constructor(name: 'EVAL' | 'EVALSHA', script: string, { keys, args }: ScriptCall) {
    // The client needs no more of the arguments than the key by which a cluster finds the node.
    super(name, [script, '1', keys[0] ?? ''], { replyEncoding: 'utf8' });
    const lines = [`*${keys.length + args.length + 3}`];
    addBulkStrings(lines, [name, script, String(keys.length)]);
    addBulkStrings(lines, keys);
    addBulkStrings(lines, args);
    lines.push('');
    this.#packet = lines.join('\r\n');
  }

  override toWritable(): string {
    return this.#packet;
  }
}

/** Adds arguments as the protocol of Redis writes them: a line with the length in bytes, and one with the text. */
function addBulkStrings(lines: string[], texts: readonly string[]): void {
  for (const text of texts) {
    const bytes = Buffer.byteLength(text);
    lines.push(lengthLines[bytes] ?? `$${bytes}`, text);
  }
}

const lengthLines = Array.from({ length: 256 }, (_, bytes) => `$${bytes}`);
