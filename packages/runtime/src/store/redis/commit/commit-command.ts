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
    let packet = `*${keys.length + args.length + 3}\r\n$${name.length}\r\n${name}\r\n`;
    packet += bulkString(script) + bulkString(String(keys.length));
    for (const key of keys) packet += bulkString(key);
    for (const arg of args) packet += bulkString(arg);
    this.#packet = packet;
  }

  override toWritable(): string {
    return this.#packet;
  }
}

/** An argument in the protocol of Redis. */
const bulkString = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
