import { randomUUID } from 'node:crypto';
import type { ListKey, RunId } from '@millrace/core';
import { endedStatuses } from '@millrace/core';
import { blobsOfRun } from '../../../journal/archive/segment.ts';
import type { LoadedRun, Retention } from '../../../ports/store/port.ts';
import { summaryOf } from '../../../ports/store/run-summary.ts';
import type { Keys } from '../location/keys.ts';
import { listOf } from '../location/keys.ts';
import type { ScriptCall } from './commit/command-list.ts';
import { CommandList } from './commit/command-list.ts';
import { listsOf } from './commit/run-index.ts';
import type { CommitInFormat } from './commit-in-format.ts';
import type { RunStorage } from './run-texts.ts';
import { allRuns, textsOfRun } from './run-texts.ts';

/** Removes runs from Redis: everything of one run by one call of commit.lua, so that no crash leaves half of it. */
export function createRedisRetention(
  { connection, keys, blobs }: RunStorage,
  commitInFormat: CommitInFormat,
): Retention {
  return {
    all: () => allRuns(connection, keys),
    writings: (run) => textsOfRun({ connection, keys, blobs }, run),
    ended: (status, { until, skip, limit }) =>
      connection.zrangebyscore(keys.ended(status), '-inf', until, 'LIMIT', skip, limit),
    expired: ({ until, skip, limit }) => connection.zrangebyscore(keys.expiring, '-inf', until, 'LIMIT', skip, limit),
    async remove(run, loaded) {
      const memories = await connection.smembers(keys.run(run).memories);
      const [outcome] = await commitInFormat(run, encodeRemoval(keys, run, { loaded, memories }));
      return outcome === 'ok';
    },
    discarded: (limit) => connection.srandmember(keys.discarded, limit),
    async deleted(digests) {
      if (digests.length > 0) await connection.srem(keys.discarded, [...digests]);
    },
  };
}

interface RunRemoval {
  readonly loaded: LoadedRun;
  /** Identities of the memory stores that live as long as the run. */
  readonly memories: readonly string[];
}

/** The first write frees memory, so that Redis carries this out when it is full, too. */
function encodeRemoval(keys: Keys, run: RunId, { loaded, memories }: RunRemoval): ScriptCall {
  const { state, version, nonce } = loaded;
  const ofRun = keys.run(run);
  const list = new CommandList(keys, ofRun, { version, nonce, next: randomUUID(), missed: 0 });
  const lists = [...state.lists.keys()].map((key: ListKey) => listOf(ofRun, key));
  const gone = [ofRun.state, ofRun.journal, ofRun.messages, ofRun.memories, ofRun.contents, ...lists];
  for (const key of new Set([...gone, ...memories.map(keys.memory)])) list.addPlain('UNLINK', key, []);
  const record = state.get('run');
  if (record !== undefined) {
    const summary = summaryOf(run, { record, origin: state.get('origin'), budget: undefined });
    for (const key of listsOf(keys, summary)) list.add('ZREM', key, [run]);
  }
  list.add('ZREM', keys.expiring, [run]);
  for (const status of endedStatuses) list.add('ZREM', keys.ended(status), [run]);
  list.add('HDEL', keys.summaries, [run]);
  list.add('SADD', keys.discarded, blobsOfRun(state));
  return list.call();
}
