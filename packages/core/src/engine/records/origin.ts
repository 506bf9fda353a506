import type { Recorded } from '../../model/recorded.ts';
import type {
  DefinitionRef as DefinitionRefSchema,
  JournalPart as JournalPartSchema,
  Origin as OriginSchema,
  Replay as ReplaySchema,
} from './run-events.ts';

/** Values that a run was started with; they never change. */
export type Origin = Recorded<typeof OriginSchema>;

/** The text of a workflow file. */
export type DefinitionRef = Recorded<typeof DefinitionRefSchema>;

/** A part of a journal that is stored as a blob, with the message bodies that came with it. */
export type JournalPart = Recorded<typeof JournalPartSchema>;

/** The journal that a replay reads. */
export type Replay = Recorded<typeof ReplaySchema>;

/**
 * Use of a recording in a replay. `strict`: a step that the source does not have fails the run. `position`: steps take the
 * recorded results of their places, whatever they ask. `reuse`: a step that is not recorded is made.
 */
export type ReplayMode = 'strict' | NonNullable<Replay['mode']>;

/** Returns the mode of a replay. */
export const replayModeOf = ({ mode }: Pick<Replay, 'mode'>): ReplayMode => mode ?? 'strict';

/** A part of the installation that starts runs, with the id of the schedule or job, or the name of the tool. */
export type Starter = NonNullable<Origin['startedBy']>;

/** The webhook of a single run. */
export type OriginWebhook = NonNullable<Origin['webhook']>;

/** A reference to a row of a batch. */
export type BatchRowRef = NonNullable<Origin['batch']>;

/** Returns the tag of the runs of the rows of a batch. */
export const batchTag = (batch: string): string => `batch:${batch}`;

/** Returns the tags that a fork or replay of a run takes over: it is no row of the batch, whose runs the tag lists. */
export function inheritedTags({ tags, batch }: Pick<Origin, 'tags' | 'batch'>): readonly string[] | undefined {
  if (tags === undefined || batch === undefined) return tags;
  const others = tags.filter((tag) => tag !== batchTag(batch.batch));
  return others.length === 0 ? undefined : others;
}
