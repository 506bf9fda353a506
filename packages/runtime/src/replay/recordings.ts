import type { ActivationId, MessageId, RecordedActivation, Replay, RunId } from '@millrace/core';
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
  /** How much later than its source a replay went live; see `Recording.lagBehind`. */
  lagMs?: number;
}

/** Creates the recordings of the runs of a store. */
export function createRecordings(store: Store, blobs: Blobs): Recordings {
  const readings = new LruMap<RecordingReader>({ limit: maxRecordings });
  const sources = new LruMap<Recording>({ limit: maxRecordings });
  const mutex = new KeyedMutex();
  const bodiesOf = createCopiedBodies(blobs);

  /** Reads all events of a replay so far: the number of its recorded answers counts, too. */
  async function readFurther(run: RunId): Promise<RecordingReader> {
    const reading = await readings.of(
      run,
      async (): Promise<RecordingReader> => ({
        recording: new Recording(),
        last: '0',
      }),
    );
    const read = async () => {
      for await (const entry of readJournal(store, run, reading.last)) {
        reading.recording.add(entry);
        reading.last = entry.id;
      }
    };
    await mutex.run(run, read);
    return reading;
  }

  async function readSource({ journal }: Replay): Promise<Recording> {
    const recording = new Recording();
    for await (const entry of copiedEntries(blobs, journal)) recording.add(entry);
    return recording;
  }

  // No two copies of a journal share a part.
  const sourceOf = (replay: Replay): Promise<Recording> =>
    sources.of(replay.journal[0]?.digest ?? '', () => readSource(replay));

  return {
    async replayedStep(run, activation, replay) {
      const { run: source, journal, liveFrom } = replay;
      const reading = await readFurther(run);
      const { recording } = reading;
      const place = recording.pathOf(activation);
      const here = place === undefined ? undefined : recording.at(place);
      const past = await sourceOf(replay);
      const isReplayed = (one: RecordedActivation) =>
        liveFrom === undefined || numberOf(one.activation) < numberOf(liveFrom);
      const recorded = place === undefined ? undefined : past.at(place);
      if (recorded === undefined && liveFrom === undefined) return { type: 'astray', source };
      const lagMs = lagOf(reading, { past, isReplayed, here, recorded });
      if (recorded === undefined || !isReplayed(recorded)) {
        reading.lagMs = lagMs;
        return { type: 'live', lagMs };
      }
      const answered = here?.answers.length ?? 0;
      const bodies = (ids: readonly MessageId[]) => bodiesOf(journal, ids);
      return { type: 'recorded', source, recorded, bodies, answered, goesLive: liveFrom !== undefined, lagMs };
    },
  };
}

/** An activation in a replay and in its source. */
interface ReplayedPlace {
  readonly past: Recording;
  readonly isReplayed: (recorded: RecordedActivation) => boolean;
  readonly here: RecordedActivation | undefined;
  readonly recorded: RecordedActivation | undefined;
}

/**
 * Returns how much later a replay is than its source, by their clocks for durations: at the last activation that was replayed, or
 * else at this one. It is fixed when the replay goes live.
 */
function lagOf({ recording, lagMs }: RecordingReader, { past, isReplayed, here, recorded }: ReplayedPlace): number {
  const lag = lagMs ?? recording.lagBehind(past, isReplayed);
  if (lag !== undefined || here === undefined || recorded === undefined) return lag ?? 0;
  return here.readyRunTime - recorded.readyRunTime;
}

/** Activations are numbered as they become ready. */
const numberOf = (activation: ActivationId): number => Number(activation.slice(1));
