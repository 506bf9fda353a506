import type { ActivationId, ArchivedSegment, JournalEntry, MessageId } from '@millrace/core';
import type { Segment } from '../journal/archive/segment.ts';
import type { StoredBody } from '../ports/store/port.ts';

/*
 * A part of a journal is held in memory while it is written and whenever it is read. Its number of events is limited; so is the
 * length of the messages that came with them, because each can have 64 KiB.
 */

/** Approximate maximum number of characters of the messages of a part; a single commit can have more. */
const mostCharacters = 16 * 1024 * 1024;
/** Number of messages that are read at a time. */
const pageSize = 1000;

/** Events from the beginning of a journal, and how many messages came before them. */
export interface PartSource {
  readonly entries: readonly JournalEntry[];
  readonly before: number;
  readonly read: (ids: readonly MessageId[]) => Promise<readonly StoredBody[]>;
}

/** Returns as many of the first commits as fit in one part, at least one, with the messages that came with them. */
export async function takePart({ entries, before, read }: PartSource, most = mostCharacters): Promise<Segment> {
  const bodies: { readonly id: MessageId; readonly body: StoredBody }[] = [];
  let [count, messages, characters] = [0, 0, 0];
  for (const commit of commitsIn(entries)) {
    const end = messages + bodiesIn(commit);
    for (let from = bodies.length; from < end; from = bodies.length) {
      const ids = Array.from({ length: Math.min(pageSize, bodiesIn(entries) - from) }, (_, at) =>
        idOf(before + from + at),
      );
      for (const [at, body] of (await read(ids)).entries()) bodies.push({ id: ids[at] ?? idOf(0), body });
    }
    for (const { body } of bodies.slice(messages, end)) characters += JSON.stringify(body).length;
    if (count > 0 && characters > most) break;
    count += commit.length;
    messages = end;
  }
  return { entries: entries.slice(0, count), bodies: bodies.slice(0, messages) };
}

/** Number of earlier activations that are named: one more, and a reader has to look into the part. */
const mostEarlier = 64;

/** Returns what readers who search know of a part without opening it. */
export function contentsOf(
  entries: readonly JournalEntry[],
  before: Pick<ArchivedSegment, 'activations'> | undefined,
): Pick<ArchivedSegment, 'activations' | 'earlier' | 'files'> {
  const known = before?.activations ?? 0;
  let activations = known;
  const earlier = new Set<ActivationId>();
  for (const { event } of entries) {
    if (event.type === 'activation.ready') activations = numberOf(event.activation);
    else if ('activation' in event && numberOf(event.activation) <= known) earlier.add(event.activation);
  }
  return {
    activations,
    ...(earlier.size > mostEarlier ? {} : { earlier: [...earlier] }),
    ...(entries.some(({ event }) => event.type === 'files.changed') ? { files: true } : {}),
  };
}

const numberOf = (id: ActivationId): number => Number(id.slice(1));

const idOf = (number: number): MessageId => `m${number + 1}`;

const bodiesIn = (entries: readonly JournalEntry[]): number =>
  entries.reduce((sum, { event }) => sum + (event.bodies ?? 0), 0);

/** Yields the entries of each commit. */
function* commitsIn(entries: readonly JournalEntry[]): Generator<readonly JournalEntry[]> {
  for (let from = 0; from < entries.length; ) {
    const version = versionOf(entries[from]);
    let to = from + 1;
    while (to < entries.length && versionOf(entries[to]) === version) to++;
    yield entries.slice(from, to);
    from = to;
  }
}

/** Returns the version of the commit that an entry belongs to; 0 for none. */
export const versionOf = (entry: JournalEntry | undefined): number => Number(entry?.id.split('-')[0] ?? 0);
