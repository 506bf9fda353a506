import type { ActivationId, RunId } from '../../model/ids.ts';

/** Values that a run was started with; they never change. */
export interface Origin {
  /** Name of the workflow in lists of runs: that of a stored workflow, or the id of its graph. */
  readonly workflow: string;
  /** First line of the task, at most 120 characters; absent for a task without text. */
  readonly title?: string;
  /** Tags by which lists of runs are filtered. */
  readonly tags?: readonly string[];
  /** Priority in the queue; a larger number comes later, and absent comes first. */
  readonly priority?: number;
  /** W3C `traceparent` of the request that started it. */
  readonly trace?: string;
  /** The run reads its steps and people's answers from the journal of another run. */
  readonly replay?: Replay;
  /** The webhooks of the tenant are notified of the run's ends and questions. */
  readonly told?: true;
  /** The run's own webhook is notified likewise. */
  readonly webhook?: OriginWebhook;
  /** The row of a batch that it works on. */
  readonly batch?: BatchRowRef;
  /** The run and the activation at which it was forked. */
  readonly fork?: { readonly run: RunId; readonly activation: ActivationId };
  /** The text that its workflow was read from; absent for runs that were started without it. */
  readonly definition?: DefinitionRef;
  /** The part of the installation that started it; absent for a request of a caller. */
  readonly startedBy?: Starter;
  /** Time at which a temporary run is removed, in milliseconds since 1970; lists of runs do not show it. Absent for other runs. */
  readonly expiresAt?: number;
}

/** The text of a workflow file. */
export interface DefinitionRef {
  /** The first half of the SHA-256 of the text. */
  readonly hash: string;
  /** Values for its variables, without secrets. */
  readonly vars?: Readonly<Record<string, unknown>>;
}

/** A part of the installation that starts runs, with the id of the schedule or job, or the name of the tool. */
export interface Starter {
  readonly type: 'schedule' | 'intake' | 'mcp';
  readonly of: string;
}

/** A part of a journal that is stored as a blob, with the message bodies that came with it. */
export type JournalPart = {
  /** SHA-256 hash of the blob. */
  readonly digest: string;
  /** Number of the last message whose body is in this part or in an earlier one. */
  readonly messages: number;
};

/** The journal that a replay reads. */
export interface Replay {
  readonly run: RunId;
  /** Copy of that run's journal, part by part, so that the run itself may be deleted or continue. */
  readonly journal: readonly JournalPart[];
  /** This activation of that run, and those that became ready after it, are executed again; absent: none. */
  readonly liveFrom?: ActivationId;
}

/** The webhook of a single run. */
export interface OriginWebhook {
  readonly url: string;
  /** Types of events, such as `run.failed`; absent: all. */
  readonly events?: readonly string[];
}

/** A reference to a row of a batch. */
export interface BatchRowRef {
  readonly batch: string;
  /** Distinguishes the batch from earlier and later ones with the same id. */
  readonly making: string;
  /** From 1. */
  readonly row: number;
}

/** Returns the tag of the runs of the rows of a batch. */
export const batchTag = (batch: string): string => `batch:${batch}`;

/** Returns the tags that a fork or replay of a run takes over: it is no row of the batch, whose runs the tag lists. */
export function inheritedTags({ tags, batch }: Pick<Origin, 'tags' | 'batch'>): readonly string[] | undefined {
  if (tags === undefined || batch === undefined) return tags;
  const others = tags.filter((tag) => tag !== batchTag(batch.batch));
  return others.length === 0 ? undefined : others;
}
