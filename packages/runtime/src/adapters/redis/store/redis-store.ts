import type { Redis } from 'ioredis';
import type { Blobs } from '../../../ports/blobs.ts';
import type { Broadcast } from '../../../ports/broadcast.ts';
import type { Commit, CommitResult, Store } from '../../../ports/store/port.ts';
import { createStoreClock, readTime } from '../../../ports/store/store-clock.ts';
import { createCapacityCheck } from '../connection/capacity-check.ts';
import type { Shard } from '../connection/shard.ts';
import { isRefusal } from '../outages/outage.ts';
import { encodeCommit } from './commit/encode-commit.ts';
import type { InFormat } from './commit-in-format.ts';
import { commitsInFormat } from './commit-in-format.ts';
import { confirmCommits } from './confirm-commits.ts';
import { countRuns, runsOfWorkflows } from './count-runs.ts';
import { JournalFollower } from './journal/journal-follower.ts';
import { createRedisArchive } from './journal/redis-archive.ts';
import { readRuns } from './list-runs.ts';
import { loadRun } from './load-run.ts';
import { positionAfter, readSince } from './read-since.ts';
import { createRedisAgenda } from './redis-agenda.ts';
import { createRedisRetention } from './redis-retention.ts';
import { keepVectors, readMemories, readVectors } from './resources/memories-and-vectors.ts';
import { createRedisBatchRows } from './resources/redis-batch-rows.ts';
import { createRedisOutbox } from './resources/redis-outbox.ts';
import { createRedisRegistry } from './resources/redis-registry.ts';
import { createRedisUsage } from './resources/redis-usage.ts';

/** Options of {@link createRedisStore}. */
export interface RedisStoreOptions {
  /** Its connection is checked with `assertRedis`. */
  readonly shard: Shard;
  /** Announces entries of the agenda that are due soon; absent: the agenda is read whenever it is asked for. */
  readonly broadcast?: Broadcast | undefined;
  /** Store of the archived parts of journals; without it every journal stays in Redis. */
  readonly blobs?: Blobs;
  /** Number of replicas that must have received a request and the end of a run; default: none. */
  readonly replicas?: number;
  /** Time after its commit at which a wake is overdue, in milliseconds. */
  readonly graceMs?: number;
  /** Time after which an outbox entry that was taken and is not done is given again, in milliseconds. */
  readonly forgottenMs?: number;
}

/** The store that survives: state, journal and agenda of all runs in Redis, under the keys of keys.ts. */
export function createRedisStore({
  shard: { connection, keys },
  broadcast,
  blobs,
  replicas = 0,
  graceMs = 8000,
  forgottenMs = 10_000,
}: RedisStoreOptions): Store {
  const clock = createStoreClock();
  const follower = new JournalFollower(connection);
  const outbox = createRedisOutbox(connection, keys, forgottenMs);
  const archive = createRedisArchive({ connection, keys, blobs });
  const commitInFormat = commitsInFormat({ connection, keys }, clock);
  const agenda = createRedisAgenda({ connection, keys, clock, broadcast });
  const commit: Store['commit'] = async (made) => {
    const reply = await commitInFormat(made.run, encodeCommit(made, keys, graceMs));
    if (reply[0] === 'ok') agenda.announce(made.decision.later);
    return resultOf(made, reply);
  };
  // The reply comes before that of any later command on this connection; should it fail, the first commit tells the
  // time.
  readTime(connection, clock).catch(() => undefined);
  const since: Store['since'] = (known) => readSince(connection, keys, known);
  return {
    durable: true,
    capacity: createCapacityCheck(connection, clock),
    commit: replicas === 0 ? commit : confirmCommits({ commit, since }, { connection, replicas }),
    refuses: isRefusal,
    since,
    load: (run) => loadRun(connection, keys, run),
    journal: archive.journal,
    ...(blobs === undefined ? {} : { archive }),
    follow: (run, after, signal) =>
      follower.follow(
        { stream: keys.run(run).journal, after, read: (limit) => archive.journal(run, after, limit) },
        signal,
      ),
    bodies: archive.bodies,
    heads: archive.heads,
    savePlan: (hash, json) => saveOnce(connection, keys.plan(hash), json),
    loadPlan: async (hash) => (await connection.get(keys.plan(hash))) ?? undefined,
    saveText: (hash, text) => saveOnce(connection, keys.text(hash), text),
    loadText: async (hash) => (await connection.get(keys.text(hash))) ?? undefined,
    runs: (query) => readRuns(connection, keys, query),
    countRuns: (scope) => countRuns(connection, keys, scope),
    runsOf: (workflows, tenant) => runsOfWorkflows(connection, keys, { tenant, workflows }),
    registry: createRedisRegistry(connection, keys),
    outbox,
    rows: createRedisBatchRows(connection, keys),
    usage: createRedisUsage(connection, keys),
    retention: createRedisRetention({ connection, keys, blobs }, commitInFormat),
    ...agenda.access,
    memory: (identity, after, limit) => readMemories(connection, keys.memory(identity), { after, limit }),
    vectors: (wanted) => readVectors(connection, keys, wanted),
    keepVectors: (vectors) => keepVectors(connection, keys, vectors),
    now: () => clock.now(),
    async close() {
      agenda.close();
      follower.close();
      outbox.close();
    },
  };
}

/** It nearly always exists, and may be long. */
async function saveOnce(connection: Redis, key: string, value: string): Promise<void> {
  if ((await connection.exists(key)) === 0) await connection.set(key, value, 'NX');
}

function resultOf(commit: Commit, reply: InFormat): CommitResult {
  switch (reply[0]) {
    case 'ok':
      return { type: 'committed', version: commit.version + 1 };
    case 'diverged':
    case 'unmet':
      return { type: reply[0] };
    case 'behind':
      return positionAfter(commit, reply[5]);
  }
}
