import type { Redis } from 'ioredis';
import type { Blobs } from '../../../ports/blobs.ts';
import type { Broadcast } from '../../../ports/broadcast.ts';
import { assertFormat } from '../../../ports/store/errors.ts';
import { nextVersion } from '../../../ports/store/next-version.ts';
import type { Commit, CommitResult, KnownPosition, MissedCommit, Store } from '../../../ports/store/port.ts';
import { createStoreClock } from '../../../ports/store/store-clock.ts';
import type { Shard } from '../connection/shard.ts';
import { createCapacityCheck } from '../connection/watch-policy.ts';
import type { Keys } from '../location/keys.ts';
import { isRefusal } from '../outages/outage.ts';
import { encodeCommit, missedLimit } from './commit/encode-commit.ts';
import type { StreamEntry } from './commit/run-commit.ts';
import { UsageExpiry } from './commit/usage-expiry.ts';
import type { InFormat } from './commit-in-format.ts';
import { commitsInFormat } from './commit-in-format.ts';
import { createConfirmations } from './confirmations.ts';
import { countRuns, runsOfWorkflows } from './count-runs.ts';
import { JournalFollower } from './journal/journal-follower.ts';
import { commitOf, versionOf } from './journal/journal-stream.ts';
import { createRedisArchive } from './journal/redis-archive.ts';
import { readRuns } from './list-runs.ts';
import { loadRun, readEnd } from './load-run.ts';
import { createRedisAgenda } from './redis-agenda.ts';
import { createRedisRetention } from './redis-retention.ts';
import { keepVectors, readMemories, readVectors } from './resources/memories-and-vectors.ts';
import { createRedisBatchRows } from './resources/redis-batch-rows.ts';
import { createRedisOutbox } from './resources/redis-outbox.ts';
import { createRedisRegistry } from './resources/redis-registry.ts';
import { createRedisStoredBytes } from './resources/redis-stored-bytes.ts';
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
  const usageExpiry = new UsageExpiry();
  const commit: Store['commit'] = async (made) => {
    const expiring = usageExpiry.due(made);
    const reply = await commitInFormat(made.run, encodeCommit(made, keys, { graceMs, expiring }));
    if (reply[0] === 'ok') {
      agenda.announce(made.decision.later);
      usageExpiry.noteSet(made, expiring);
    }
    if (reply[0] === 'diverged') usageExpiry.clear();
    return resultOf(made, reply);
  };
  const confirmations =
    replicas === 0
      ? undefined
      : createConfirmations({ connection, keys, replicas, since: (own, known) => readSince(own, keys, known) });
  return {
    durable: true,
    capacity: createCapacityCheck(connection, clock),
    commit,
    ...(confirmations === undefined ? {} : { confirm: confirmations.confirm }),
    refuses: isRefusal,
    since: (known) => readSince(connection, keys, known),
    load: (run) => loadRun(connection, keys, run),
    endOf: (run) => readEnd(connection, keys, run),
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
    stored: createRedisStoredBytes(connection, keys),
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
      confirmations?.close();
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
      return { type: 'committed', version: nextVersion(commit.version, commit.decision.events) };
    case 'diverged':
    case 'unmet':
      return { type: reply[0] };
    case 'behind':
      return positionAfter(commit, reply[3]);
  }
}

/** Version and nonce of a run that a process knows. */
type CommitPosition = Pick<Commit, 'run' | 'version' | 'nonce'>;

/**
 * Reads what was committed to a run after the known version, with plain commands that are sent together. The journal as
 * of one moment is enough, as its last entry has the version and nonce of the run. The state, read after it, confirms
 * that the journal belongs to it.
 */
async function readSince(connection: Redis, keys: Keys, known: CommitPosition): Promise<KnownPosition> {
  const { state, journal } = keys.run(known.run);
  const [entries, [version, nonce, format]] = await Promise.all([
    connection.xrange(journal, `${known.version}-0`, '+', 'COUNT', missedLimit),
    connection.hmget(state, 'version', 'nonce', 'format'),
  ]);
  if (version != null) assertFormat(known.run, { stored: format, known: keys.format });
  const position = positionAfter(known, entries);
  if (position.type === 'diverged') return position;
  // Others may have committed between the two reads.
  const { last } = position;
  const isLater = Number(version) > last.version;
  if (!isLater && !(version === String(last.version) && nonce === last.nonce)) return { type: 'diverged' };
  return last.version === known.version ? { type: 'committed', version: known.version } : position;
}

type PositionAfter =
  | (Extract<KnownPosition, { type: 'behind' }> & { readonly last: MissedCommit })
  | { readonly type: 'diverged' };

/**
 * Interprets the commits of a journal from the known version on, which must begin with the commit that the caller knows;
 * otherwise, or when there are too many, the caller has to load the run again.
 */
function positionAfter(known: CommitPosition, entries: readonly StreamEntry[]): PositionAfter {
  const [begin, end] = [entries[0], entries.at(-1)];
  if (begin === undefined || end === undefined || entries.length === missedLimit) return { type: 'diverged' };
  const first = decoded(begin);
  const last = begin === end ? first : decoded(end);
  const continues = known.version === 0 ? first.version === 1 : first.nonce === known.nonce;
  if (!continues) return { type: 'diverged' };
  const missed = function* (): Generator<MissedCommit> {
    if (first.version !== known.version) yield first;
    for (const entry of entries.slice(1, -1)) yield decoded(entry);
    if (last !== first) yield last;
  };
  return { type: 'behind', missed: { [Symbol.iterator]: missed }, last };
}

const decoded = (entry: StreamEntry): MissedCommit => ({ version: Number(versionOf(entry)), ...commitOf(entry) });
