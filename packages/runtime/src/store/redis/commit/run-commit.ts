import type { Redis } from 'ioredis';
import { readScript } from '../../../redis/script.ts';
import type { ScriptCall } from './command-list.ts';
import { CommitCommand } from './commit-command.ts';

/** An entry of a stream as Redis answers it: its id, and fields and values in turn. */
export type StreamEntry = readonly [id: string, fields: readonly string[]];

/** The answers of commit.lua; see there. */
export type ScriptReply =
  | readonly ['ok' | 'diverged' | 'unmet', seconds: string, microseconds: string]
  | readonly ['format', seconds: string, microseconds: string, format: string]
  | readonly [
      'behind',
      seconds: string,
      microseconds: string,
      version: string,
      nonce: string,
      entries: readonly StreamEntry[],
    ];

// The same path from src and from dist: the compiler leaves files that are not its own where they are.
const { text, digest } = readScript(new URL('../../../../src/store/redis/commit/commit.lua', import.meta.url));

/** Connections to a Redis that has been seen to know the script. */
const knowing = new WeakSet<Redis>();

/**
 * Runs commit.lua. The text is sent until Redis is known to have it, and again on each connection, because a restarted
 * Redis has forgotten it. Sending the digest first and the text after a failure would let later commands of the
 * connection overtake, such as the wakes of this very commit, which would find no activation.
 */
export async function runCommit(connection: Redis, call: ScriptCall): Promise<ScriptReply> {
  if (!knowing.has(connection)) {
    const reply = await send(connection, ['EVAL', text], call);
    if (!knowing.has(connection)) connection.once('close', () => knowing.delete(connection));
    knowing.add(connection);
    return reply;
  }
  try {
    return await send(connection, ['EVALSHA', digest], call);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return send(connection, ['EVAL', text], call);
  }
}

// The shape of the reply is the script's, which is ours.
const send = (
  connection: Redis,
  [command, script]: readonly ['EVAL' | 'EVALSHA', string],
  call: ScriptCall,
): Promise<ScriptReply> => connection.sendCommand(new CommitCommand(command, script, call)) as Promise<ScriptReply>;
