import type { ActivationId, Place, Recorded, Replay, RunId } from '@millrace/core';
import { Recording } from '@millrace/core';
import { readJournal } from './read-journal.ts';
import type { Store } from './store/port.ts';

/** What the source of a replay has for an activation of the replay. */
export type Rehearsal =
  | {
      readonly type: 'recorded';
      /** The run that the recorded messages are of. */
      readonly source: RunId;
      readonly recorded: Recorded;
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

/** Recordings that a process keeps at most. */
const kept = 32;

interface Reading {
  readonly recording: Recording;
  /** The last entry taken in. */
  last: string;
  turn: Promise<unknown>;
}

/** Recordings of the runs of a store. */
export function createRecordings(store: Store): Recordings {
  const readings = new Map<string, Reading>();

  const readingOf = (name: string): Reading => {
    const reading = readings.get(name) ?? { recording: new Recording(), last: '0', turn: Promise.resolve() };
    readings.delete(name);
    readings.set(name, reading);
    const oldest = readings.keys().next();
    if (readings.size > kept && !oldest.done) readings.delete(oldest.value);
    return reading;
  };

  /** Reads on, one after the other, unless it is read far enough. */
  async function readOn(reading: Reading, run: RunId, isEnough: (reading: Reading) => boolean): Promise<Recording> {
    const before = reading.turn;
    const read = async () => {
      if (isEnough(reading)) return;
      for await (const entry of readJournal(store, run, reading.last)) {
        reading.recording.add(entry);
        reading.last = entry.id;
        if (isEnough(reading)) return;
      }
    };
    // Whoever waited for a read that failed tries for itself.
    reading.turn = before.then(read, read);
    await reading.turn;
    return reading.recording;
  }

  const placeIn = async (run: RunId, activation: ActivationId): Promise<readonly [Place | undefined, number]> => {
    // All of what is there: how often it was answered counts, too.
    const recording = await readOn(readingOf(run), run, () => false);
    const place = recording.placeOf(activation);
    return [place, place === undefined ? 0 : (recording.at(place)?.answers.length ?? 0)];
  };

  return {
    async rehearse(run, activation, { run: source, until, liveFrom }) {
      const [place, answered] = await placeIn(run, activation);
      const past = await readOn(readingOf(`${source} ${until}`), source, ({ last }) => last === until);
      const recorded = place === undefined ? undefined : past.at(place);
      if (recorded === undefined) return liveFrom === undefined ? { type: 'astray', source } : { type: 'live' };
      if (liveFrom !== undefined && numberOf(recorded.activation) >= numberOf(liveFrom)) return { type: 'live' };
      return { type: 'recorded', source, recorded, answered, goesLive: liveFrom !== undefined };
    },
  };
}

/** Activations are numbered as they become ready. */
const numberOf = (activation: ActivationId): number => Number(activation.slice(1));
