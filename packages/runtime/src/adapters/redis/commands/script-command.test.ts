import fc from 'fast-check';
import { Command } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { scriptOf } from './script.ts';
import { ScriptCommand } from './script-command.ts';

const script = scriptOf("return 'größer'");

/** Returns what a command writes to a socket. */
function written(command: Command, socket = { write: (_chunk: string | Uint8Array) => true }): Buffer {
  const chunks: Uint8Array[] = [];
  socket.write = (chunk) => chunks.push(Buffer.from(chunk)) > 0;
  // The client passes the stream that it writes to, and writes what is returned.
  socket.write(command.toWritable(socket));
  return Buffer.concat(chunks);
}

const argument = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 600 }),
  fc.string(),
  fc.integer(),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  fc.constantFrom(null, undefined),
);

describe('ScriptCommand', () => {
  it('writes the same bytes as a command of the client', () => {
    fc.assert(
      fc.property(fc.array(argument), fc.array(argument), (keys, args) => {
        const socket = { write: () => true };
        const call = () => new ScriptCommand(script, { keyCount: keys.length, values: [keys, ...args] });
        // The client's types allow for no missing values, which BullMQ passes.
        const expected = (...begin: string[]) => {
          const values = [...begin.slice(1), keys.length, ...keys, ...args] as string[];
          return written(new Command(begin[0] ?? '', values));
        };

        const first = written(call(), socket);
        const second = written(call(), socket);

        expect(first.equals(expected('eval', script.text))).toBe(true);
        expect(second.equals(expected('evalsha', script.digest))).toBe(true);
      }),
    );
  });

  it('writes the text again after Redis has forgotten it', () => {
    const socket = { write: () => true };
    const call = { keyCount: 1, values: ['k'] };
    const forgotten = new ScriptCommand(script, call);
    written(forgotten, socket);
    forgotten.forget();

    expect(written(new ScriptCommand(script, call), socket).toString()).toContain(script.text);
  });
});
