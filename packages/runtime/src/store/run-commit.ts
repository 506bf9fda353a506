import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import type { ScriptCall } from './encode-commit.ts';

/** An entry of a stream as Redis answers it: its id, and fields and values in turn. */
export type StreamEntry = readonly [id: string, fields: readonly string[]];

/** The answers of commit.lua; see there. */
export type ScriptReply =
  | readonly ['ok' | 'diverged', seconds: string, microseconds: string]
  | readonly [
      'behind',
      seconds: string,
      microseconds: string,
      version: string,
      nonce: string,
      entries: readonly StreamEntry[],
    ];

// The same path from src and from dist: the compiler leaves files that are not its own where they are.
const source = readFileSync(new URL('../../src/store/commit.lua', import.meta.url), 'utf8');
const digest = createHash('sha1').update(source).digest('hex');

/** Runs commit.lua. A Redis that does not know the script (any more) is sent its text. */
export async function runCommit(connection: Redis, call: ScriptCall): Promise<ScriptReply> {
  const operands = [String(call.keys.length), ...call.keys, ...call.args];
  try {
    // The shape of the reply is the script's, which is ours.
    return (await connection.call('EVALSHA', [digest, ...operands])) as ScriptReply;
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return (await connection.call('EVAL', [source, ...operands])) as ScriptReply;
  }
}
