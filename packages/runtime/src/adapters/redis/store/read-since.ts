import type { Redis } from 'ioredis';
import { assertFormat } from '../../../ports/store/errors.ts';
import type { Commit, KnownPosition } from '../../../ports/store/port.ts';
import type { Keys } from '../location/keys.ts';
import { missedLimit } from './commit/encode-commit.ts';
import type { StreamEntry } from './commit/run-commit.ts';
import { commitOf, entriesIn, versionOf } from './journal/journal-stream.ts';

/** Version and nonce of a run that a process knows. */
type Known = Pick<Commit, 'run' | 'version' | 'nonce'>;

/**
 * Reads what was committed to a run after the known version, with plain commands that are sent together. The journal as
 * of one moment is enough, as its last entry has the version and nonce of the run. The state, read after it, confirms
 * that the journal belongs to it.
 */
export async function readSince(connection: Redis, keys: Keys, known: Known): Promise<KnownPosition> {
  const { state, journal } = keys.run(known.run);
  const [entries, [version, nonce, format]] = await Promise.all([
    connection.xrange(journal, `${known.version}-0`, '+', 'COUNT', missedLimit),
    connection.hmget(state, 'version', 'nonce', 'format'),
  ]);
  if (version != null) assertFormat(known.run, { stored: format, known: keys.format });
  const position = positionAfter(known, entries);
  if (position.type === 'diverged') return position;
  // Others may have committed between the two reads.
  const isLater = Number(version) > position.version;
  if (!isLater && !(version === String(position.version) && nonce === position.nonce)) return { type: 'diverged' };
  return position.version === known.version ? { type: 'committed', version: known.version } : position;
}

/**
 * Interprets the commits of a journal from the known version on, which must begin with the commit that the caller knows;
 * otherwise, or when there are too many, the caller has to load the run again.
 */
export function positionAfter(
  known: Known,
  entries: readonly StreamEntry[],
): Exclude<KnownPosition, { type: 'committed' }> {
  const commits = entries.map((entry) => ({ version: Number(versionOf(entry)), ...commitOf(entry) }));
  const [first] = commits;
  const last = commits.at(-1);
  if (first === undefined || last === undefined || commits.length === missedLimit) return { type: 'diverged' };
  const continues = known.version === 0 ? first.version === 1 : first.nonce === known.nonce;
  if (!continues) return { type: 'diverged' };
  const missed = commits.flatMap((commit) => (commit.version === known.version ? [] : entriesIn(commit)));
  return { type: 'behind', missed, version: last.version, nonce: last.nonce };
}
