import type {
  ActivationId,
  JournalEntry,
  MessageId,
  RecordedActivation,
  Replay,
  RunId,
  StepPlace,
} from '@millrace/core';
import { Recording, replayModeOf, StepIndex, StepSet } from '@millrace/core';
import { LruMap } from '../blobs/read-through-cache.ts';
import type { Plans } from '../commit/plans.ts';
import { inSlices } from '../concurrency/in-slices.ts';
import { KeyedMutex } from '../concurrency/keyed-mutex.ts';
import type { FindCall, FoundStep, Recordings, ReplayedCall } from '../contract/runs.ts';
import { readJournal } from '../journal/read-journal.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Store } from '../ports/store/port.ts';
import { copiedEntries, createCopiedBodies } from './journal-copy.ts';

/** Maximum number of recordings of each kind that a process keeps. */
const maxRecordings = 16;

interface RecordingReader {
  /** Absent until the first entry was read. */
  recording: Recording | undefined;
  /** Id of the last entry that was added. */
  last: string;
  /** Results of the source that were taken. */
  readonly taken: TakenResults;
  /** How much later than its source a replay went live; see `Recording.lagBehind`. */
  lagMs?: number;
}

/** Steps of a source whose results a replay has taken: at the same place, and at others. */
interface TakenResults {
  readonly own: StepSet;
  readonly moved: StepSet;
  /** Number of the steps of the replay that they are of. */
  counted: number;
}

/** Dependencies of recordings. */
interface RecordingsContext {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly plans: Pick<Plans, 'load'>;
}

/** Creates the recordings of the runs of a store. */
export function createRecordings({ store, blobs, plans }: RecordingsContext): Recordings {
  const readings = new LruMap<RecordingReader>({ limit: maxRecordings });
  const sources = new LruMap<Recording>({ limit: maxRecordings });
  const indices = new LruMap<StepIndex>({ limit: maxRecordings });
  const mutex = new KeyedMutex();
  const bodiesOf = createCopiedBodies(blobs);

  /** Reads all events of a replay so far: the number of its recorded answers counts, too. */
  async function readFurther(run: RunId): Promise<RecordingReader> {
    const reading = await readings.of(
      run,
      async (): Promise<RecordingReader> => ({
        recording: undefined,
        last: '0',
        taken: { own: new StepSet(), moved: new StepSet(), counted: 0 },
      }),
    );
    const read = async () => {
      for await (const entry of readJournal(store, run, reading.last)) {
        if (entry.event.type === 'run.started')
          reading.recording = new Recording((await plans.load(entry.event.plan)).plan);
        reading.recording?.add(entry);
        reading.last = entry.id;
      }
    };
    await mutex.run(run, read);
    return reading;
  }

  // No two copies of a journal share a part.
  const sourceOf = ({ plan, journal }: Replay): Promise<Recording> =>
    sources.of(journal[0]?.digest ?? '', () => recordingOf(plans, plan, copiedEntries(blobs, journal)));
  const indexOf = ({ journal }: Replay, past: Recording): Promise<StepIndex> =>
    indices.of(journal[0]?.digest ?? '', async () => {
      const index = new StepIndex();
      await inSlices(past.activations, (activation) => index.add(activation));
      return index;
    });

  /** Returns the search for recorded results of the steps of an activation. */
  function finderFor(run: RunId, activation: ActivationId, replay: Replay): FindCall {
    return async (call) => {
      const reading = await readFurther(run);
      const { recording } = reading;
      if (recording === undefined || (call.where === 'here until live' && recording.wentLive)) return undefined;
      const past = await sourceOf(replay);
      const taken = takenFrom(reading, past);
      const here = past.at(recording.placeOf(activation));
      const found = foundHere(here, call, taken);
      if (found !== undefined || call.where !== 'anywhere') return found;
      return foundAnywhere(past, (await indexOf(replay, past)).asking(call.name, call.request), taken);
    };
  }

  return {
    async replayedStep(run, activation, replay) {
      const { run: source, journal, liveFrom } = replay;
      const reading = await readFurther(run);
      const here = reading.recording?.of(activation);
      const past = await sourceOf(replay);
      const isReplayed = (one: RecordedActivation) =>
        liveFrom === undefined || numberOf(one.activation) < numberOf(liveFrom);
      const recorded = past.at(reading.recording?.placeOf(activation));
      const lagMs = lagOf(reading, { past, isReplayed, here, recorded });
      const bodies = (ids: readonly MessageId[]) => bodiesOf(journal, ids);
      const common = { mode: replayModeOf(replay), source, bodies, find: finderFor(run, activation, replay), lagMs };
      if (recorded !== undefined && isReplayed(recorded)) {
        const answered = here?.answers.length ?? 0;
        return { type: 'recorded', ...common, recorded, answered, goesLive: liveFrom !== undefined };
      }
      if (liveFrom === undefined) return { type: 'new', ...common };
      reading.lagMs = lagMs;
      return { type: 'live', lagMs };
    },
  };
}

/** Returns the recording of a whole journal of a run with a stored plan. A fork under another one changes no graphs and nodes. */
export async function recordingOf(
  plans: Pick<Plans, 'load'>,
  plan: string,
  journal: AsyncIterable<JournalEntry>,
): Promise<Recording> {
  const recording = new Recording((await plans.load(plan)).plan);
  for await (const entry of journal) recording.add(entry);
  return recording;
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
  const lag = lagMs ?? recording?.lagBehind(past, isReplayed);
  if (lag !== undefined || here === undefined || recorded === undefined) return lag ?? 0;
  return here.readyRunTime - recorded.readyRunTime;
}

/** Returns the results that a replay has taken from its source so far. */
function takenFrom({ recording, taken }: RecordingReader, past: Recording): TakenResults {
  const taking = recording?.taking ?? [];
  for (const { activation, step, from } of taking.slice(taken.counted)) {
    const there = past.at(recording?.placeOf(activation));
    if (from !== undefined) taken.moved.add(from);
    else if (there !== undefined) taken.own.add({ activation: there.activation, step });
  }
  taken.counted = taking.length;
  return taken;
}

/** Returns the step of an activation of the source with this number, if it asked the same and has a result. */
function foundHere(
  here: RecordedActivation | undefined,
  { step, name, request }: ReplayedCall,
  { moved }: TakenResults,
): FoundStep | undefined {
  const there = here?.steps[step];
  if (here === undefined || there?.name !== name || there.request !== request) return undefined;
  return there.result === undefined || moved.has({ activation: here.activation, step }) ? undefined : { step: there };
}

/** Returns the first of the steps of the source that asked the same whose result was not taken. */
function foundAnywhere(
  past: Recording,
  asking: readonly StepPlace[],
  { own, moved }: TakenResults,
): FoundStep | undefined {
  for (const from of asking) {
    const step = past.step(from);
    if (step?.result !== undefined && !own.has(from) && !moved.has(from)) return { step, from };
  }
  return undefined;
}

/** Activations are numbered as they become ready. */
const numberOf = (activation: ActivationId): number => Number(activation.slice(1));
