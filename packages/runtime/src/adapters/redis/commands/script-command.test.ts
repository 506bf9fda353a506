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

/** Arguments in which texts, lengths or bytes are not what they mostly are. */
const oddArguments: Readonly<Record<string, readonly unknown[]>> = {
  none: [],
  'empty texts': ['', '', ''],
  'the ends of lines': ['a\r\nb', '\r\n', '$3\r\nabc\r\n'],
  'text beyond ASCII': ['größer', '東京', '🙂', 'e\u0301', '\ud800 alone'],
  'text of 1 MB': ['x'.repeat(1_048_576), 'after'],
  'text of 1 MB beyond ASCII': ['ü'.repeat(1_048_576), 'after'],
  bytes: [Buffer.from([0, 13, 10, 255]), Buffer.alloc(0), Buffer.from('größer')],
  'bytes of 1 MB between texts': ['before', Buffer.alloc(1_048_576, 7), 'after'],
  numbers: [0, -0, 1.5, -7, 1e21, Number.MAX_SAFE_INTEGER, Number.NaN],
  'missing values': [null, undefined],
  'other values': [true, 10n],
  lists: [['a', 'b', 1], [], 'd'],
  '20,000 arguments': Array.from({ length: 20_000 }, (_, at) => `argument ${at}`),
};

describe('ScriptCommand', () => {
  it.each(Object.entries(oddArguments))('writes the same bytes as a command of the client: %s', (_name, values) => {
    // The client's types allow for no such values.
    const expected = new Command('eval', [script.text, '0', ...values] as string[]);

    const bytes = written(new ScriptCommand(script, { keyCount: 0, values }));

    expect(bytes.equals(written(expected))).toBe(true);
  });

  it('writes the same bytes as a command of the client: any arguments', () => {
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

  it('writes the entries of lists in lists', () => {
    const nested = written(new ScriptCommand(script, { keyCount: 0, values: [['a', ['b', [1]]], 'c'] }));

    expect(nested.equals(written(new Command('eval', [script.text, '0', 'a', 'b', '1', 'c'])))).toBe(true);
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
