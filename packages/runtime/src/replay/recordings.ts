import type { ActivationId, MessageId, RecordedActivation, Replay, ReplayPath, RunId } from '@millrace/core';
import { Recording } from '@millrace/core';
import { LruMap } from '../blobs/read-through-cache.ts';
import { KeyedMutex } from '../concurrency/keyed-mutex.ts';
import type { Recordings } from '../contract/runs.ts';
import { readJournal } from '../journal/read-journal.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Store } from '../ports/store/port.ts';
import { copiedEntries, createCopiedBodies } from './journal-copy.ts';

/** Maximum number of recordings of each kind that a process keeps. */
const maxRecordings = 16;

interface RecordingReader {
  readonly recording: Recording;
  /** Id of the last entry that was added. */
  last: string;
}

/** Creates the recordings of the runs of a store. */
export function createRecordings(store: Store, blobs: Blobs): Recordings {
  const readings = new LruMap<RecordingReader>({ limit: maxRecordings });
  const sources = new LruMap<Recording>({ limit: maxRecordings });
  const mutex = new KeyedMutex();
  const bodiesOf = createCopiedBodies(blobs);

  /** Reads all events of a replay so far: the number of its recorded answers counts, too. */
  async function readFurther(run: RunId): Promise<Recording> {
    const reading = await readings.of(run, async () => ({
      recording: new Recording(),
      last: '0',
    }));
    const read = async () => {
      for await (const entry of readJournal(store, run, reading.last)) {
        reading.recording.add(entry);
        reading.last = entry.id;
      }
    };
    await mutex.run(run, read);
    return reading.recording;
  }

  async function readSource({ journal }: Replay): Promise<Recording> {
    const recording = new Recording();
    for await (const entry of copiedEntries(blobs, journal)) recording.add(entry);
    return recording;
  }

  // No two copies of a journal share a part.
  const sourceOf = (replay: Replay): Promise<Recording> =>
    sources.of(replay.journal[0]?.digest ?? '', () => readSource(replay));

  const placeIn = (recording: Recording, activation: ActivationId): readonly [ReplayPath | undefined, number] => {
    const place = recording.pathOf(activation);
    return [place, place === undefined ? 0 : (recording.at(place)?.answers.length ?? 0)];
  };

  return {
    async replayedStep(run, activation, replay) {
      const { run: source, journal, liveFrom } = replay;
      const recording = await readFurther(run);
      const [place, answered] = placeIn(recording, activation);
      const past = await sourceOf(replay);
      const isReplayed = (one: RecordedActivation) =>
        liveFrom === undefined || numberOf(one.activation) < numberOf(liveFrom);
      const recorded = place === undefined ? undefined : past.at(place);
      if (recorded === undefined && liveFrom === undefined) return { type: 'astray', source };
      const lagMs = recording.lagBehind(past, isReplayed);
      if (recorded === undefined || !isReplayed(recorded)) return { type: 'live', lagMs };
      const bodies = (ids: readonly MessageId[]) => bodiesOf(journal, ids);
      return { type: 'recorded', source, recorded, bodies, answered, goesLive: liveFrom !== undefined, lagMs };
    },
  };
}

/** Activations are numbered as they become ready. */
const numberOf = (activation: ActivationId): number => Number(activation.slice(1));
