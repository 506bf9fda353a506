import type { RunId } from '@millrace/core';
import type { Shard } from '../../redis/shard.ts';
import { NewerFormat } from '../errors.ts';
import type { StoreClock } from '../store-clock.ts';
import { millisecondsOf } from '../store-clock.ts';
import type { ScriptCall } from './commit/command-list.ts';
import type { ScriptReply } from './commit/run-commit.ts';
import { runCommit } from './commit/run-commit.ts';
import { takeOverRun } from './take-over-run.ts';

/** Outcome of a commit to a run in the format of this build. */
export type InFormat = Exclude<ScriptReply, readonly ['format', ...unknown[]]>;

/** Commits to a run, see {@link commitsInFormat}. */
export type CommitInFormat = (run: RunId, encode: () => ScriptCall) => Promise<InFormat>;

/**
 * Runs commit.lua, and learns the time of Redis from its replies. Takes over a run of an earlier format first, and commits
 * to it then. Throws NewerFormat for one of a later format, which stays as it is.
 */
export function commitsInFormat({ connection, keys }: Shard, clock: Pick<StoreClock, 'ask'>): CommitInFormat {
  return async (run, encode) => {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const call = encode();
      const setTime = clock.ask();
      const reply = await runCommit(connection, call);
      setTime(millisecondsOf(reply[1], reply[2]));
      if (reply[0] !== 'format' && reply[0] !== 'diverged') return reply;
      if (reply[0] === 'format') assertKnown(run, { stored: Number(reply[3]), known: keys.format });
      const isTaken = (await takeOverRun({ connection, keys }, run)) === 'taken';
      if (reply[0] === 'diverged' && !isTaken && !begins(call)) return reply;
    }
    // An existing run gives another answer when its start is committed once more.
    throw new Error(`The run ${run} has a journal but no state, so it cannot be started.`);
  };
}

const attempts = 5;

const begins = ({ args }: ScriptCall): boolean => args[0] === '0';

function assertKnown(run: RunId, { stored, known }: { readonly stored: number; readonly known: number }): void {
  if (stored > known) throw new NewerFormat(run, stored);
}
