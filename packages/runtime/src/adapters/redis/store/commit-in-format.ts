import type { RunId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import { ForeignFormat, writtenBefore } from '../../../ports/store/errors.ts';
import type { StoreClock } from '../../../ports/store/store-clock.ts';
import { createTimeReader } from '../../../ports/store/store-clock.ts';
import type { Shard } from '../connection/shard.ts';
import type { ScriptCall } from './commit/command-list.ts';
import type { ScriptReply } from './commit/run-commit.ts';
import { runCommit } from './commit/run-commit.ts';

/** Outcome of a commit to a run in the format of this build. */
export type InFormat = Exclude<ScriptReply, readonly ['format', ...unknown[]]>;

/** Commits to a run, see {@link commitsInFormat}. */
export type CommitInFormat = (run: RunId, call: ScriptCall) => Promise<InFormat>;

/**
 * Runs commit.lua, and asks for the time of Redis in the same packet unless it is known. Throws ForeignFormat for a run in
 * another format, which stays as it is.
 */
export function commitsInFormat({ connection, keys }: Shard, clock: Pick<StoreClock, 'ask' | 'ageMs'>): CommitInFormat {
  const refreshTime = createTimeReader(connection, clock);
  // The reply comes before that of any later command on this connection.
  refreshTime();
  return (run, call) => {
    refreshTime();
    return runCommit(connection, call).then((reply) => {
      if (reply[0] === 'diverged' && call.version === 0)
        throw new Error(`The run ${run} has a journal but no state, so it cannot be started.`);
      if (reply[0] === 'format') throw new ForeignFormat(run, { stored: Number(reply[1]), known: keys.format });
      return reply;
    });
  };
}

/** Throws RequestError, `FORMAT_OLDER`, where development builds have left data of the formats 1 to 3. Costs one command. */
export async function assertNoOlderData({ connection, keys }: Shard): Promise<void> {
  if ((await connection.exists(...keys.older)) === 0) return;
  throw new RequestError('FORMAT_OLDER', `The data under the prefix ${keys.prefix} was ${writtenBefore}`);
}
