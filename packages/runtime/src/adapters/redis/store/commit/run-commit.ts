import type { Redis } from 'ioredis';
import { readScript, runScript } from '../../commands/script.ts';
import type { ScriptCall } from './command-list.ts';

/** An entry of a stream as Redis answers it: its id, and fields and values in turn. */
export type StreamEntry = readonly [id: string, fields: readonly string[]];

/** The answers of commit.lua; see there. */
export type ScriptReply =
  | readonly ['ok' | 'diverged' | 'unmet']
  | readonly ['format', format: string]
  | readonly ['behind', version: string, nonce: string, entries: readonly StreamEntry[]];

// The same path from src and from dist: the compiler leaves files that are not its own where they are.
const script = readScript(new URL('../../../../../src/adapters/redis/store/commit/commit.lua', import.meta.url));

/** Runs commit.lua, which defines the shape of the reply. */
export const runCommit = (connection: Redis, call: ScriptCall): Promise<ScriptReply> =>
  runScript(connection, script, call) as Promise<ScriptReply>;
