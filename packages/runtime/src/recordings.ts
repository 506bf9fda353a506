import type { ActivationId, MessageBody, MessageId, Place, Recorded, Replay, RunId } from '@millrace/core';
import { Recording } from '@millrace/core';
import type { Blobs } from './blobs/port.ts';
import { createKeptBodies, keptEntries } from './kept-journal.ts';
import { readJournal } from './read-journal.ts';
import type { Store } from './store/port.ts';

/** What the source of a replay has for an activation of the replay. */
export type Rehearsal =
  | {
      readonly type: 'recorded';
      readonly source: RunId;
      readonly recorded: Recorded;
      /** The bodies of messages that it names, as far as they came with the source's journal. */
      readonly bodies: (ids: readonly MessageId[]) => Promise<readonly MessageBody[]>;
      /** How many answers the activation has had in the replay. */
      readonly answered: number;
      /** What the journal does not have is done anew, and no error. */
      readonly goesLive: boolean;
    }
  | { readonly type: 'live' }
  /** The replay has got to where its source never was. */
  | { readonly type: 'astray'; readonly source: RunId };

/** Recordings of the journals that replays are answered from, and of those of the replays, to find the places in both. */
export interface Recordings {
  /** Costs what has happened in the replay since this process asked last; the source is read once. */
  rehearse(run: RunId, activation: ActivationId, replay: Replay): Promise<Rehearsal>;
}

/** Recordings of each kind that a process keeps at most. */
const kept = 16;

interface Reading {
  readonly recording: Recording;
  /** The last entry taken in. */
  last: string;
  turn: Promise<unknown>;
}

/** Recordings of the runs of a store. */
export function createRecordings(store: Store, blobs: Blobs): Recordings {
  const readings = new Map<RunId, Reading>();
  const sources = new Map<string, Promise<Recording>>();
  const bodiesOf = createKeptBodies(blobs);

  /** All of what a replay has done so far: how often it was answered counts, too. */
  async function readOn(run: RunId): Promise<Recording> {
    const reading = usedLast(readings, run, () => ({ recording: new Recording(), last: '0', turn: Promise.resolve() }));
    const read = async () => {
      for await (const entry of readJournal(store, run, reading.last)) {
        reading.recording.add(entry);
        reading.last = entry.id;
      }
    };
    // Whoever waited for a read that failed tries for itself.
    reading.turn = reading.turn.then(read, read);
    await reading.turn;
    return reading.recording;
  }

  async function readSource({ journal }: Replay): Promise<Recording> {
    const recording = new Recording();
    for await (const entry of keptEntries(blobs, journal)) recording.add(entry);
    return recording;
  }

  function sourceOf(replay: Replay): Promise<Recording> {
    // No two copies of a journal have a part in common.
    const name = replay.journal[0]?.digest ?? '';
    return usedLast(sources, name, () =>
      readSource(replay).catch((error: unknown) => {
        sources.delete(name);
        throw error;
      }),
    );
  }

  const placeIn = async (run: RunId, activation: ActivationId): Promise<readonly [Place | undefined, number]> => {
    const recording = await readOn(run);
    const place = recording.placeOf(activation);
    return [place, place === undefined ? 0 : (recording.at(place)?.answers.length ?? 0)];
  };

  return {
    async rehearse(run, activation, replay) {
      const { run: source, journal, liveFrom } = replay;
      const [place, answered] = await placeIn(run, activation);
      const past = await sourceOf(replay);
      const recorded = place === undefined ? undefined : past.at(place);
      if (recorded === undefined) return liveFrom === undefined ? { type: 'astray', source } : { type: 'live' };
      if (liveFrom !== undefined && numberOf(recorded.activation) >= numberOf(liveFrom)) return { type: 'live' };
      const bodies = (ids: readonly MessageId[]) => bodiesOf(journal, ids);
      return { type: 'recorded', source, recorded, bodies, answered, goesLive: liveFrom !== undefined };
    },
  };
}

/** What is kept under a name, or is now; of those that were not in use for longest, as many go as are too many. */
function usedLast<K, V>(all: Map<K, V>, name: K, make: () => V): V {
  const value = all.get(name) ?? make();
  all.delete(name);
  all.set(name, value);
  const oldest = all.keys().next();
  if (all.size > kept && !oldest.done) all.delete(oldest.value);
  return value;
}

/** Activations are numbered as they become ready. */
const numberOf = (activation: ActivationId): number => Number(activation.slice(1));
