import type { ActivationId, RunId } from '../../model/ids.ts';

/** What a run was started as; it never changes. */
export interface Origin {
  /** What lists of runs call its workflow: the name of a stored one, or the id of its graph. */
  readonly workflow: string;
  /** Words to find it by. */
  readonly tags?: readonly string[];
  /** How far others go before it; absent: it goes before all that have one. */
  readonly priority?: number;
  /** W3C `traceparent` of whoever started it. */
  readonly trace?: string;
  /** Its steps and people's answers are read from the journal of another run. */
  readonly replay?: Replay;
  /** Somebody outside is told of its ends and questions: the webhooks of its tenant. */
  readonly told?: true;
  /** The same for a webhook of its own. */
  readonly webhook?: OriginWebhook;
  /** The row of a batch that it works on. */
  readonly batch?: BatchRowRef;
  /** It has its past from another run. */
  readonly fork?: { readonly run: RunId; readonly activation: ActivationId };
}

/** A part of a journal that is kept as a blob, with the message bodies that came with it. */
export type JournalPart = {
  /** Of the blob. */
  readonly digest: string;
  /** Number of the last message whose body is in it or in one before it. */
  readonly messages: number;
};

/** Which journal answers the steps of a run. */
export interface Replay {
  readonly run: RunId;
  /** The journal of that run as it was then, part by part: a copy, so that the run itself may go, or go on. */
  readonly journal: readonly JournalPart[];
  /** This activation of that run, and what became ready after it, is done anew; absent: nothing is. */
  readonly liveFrom?: ActivationId;
}

/** Where somebody is told of one run. */
export interface OriginWebhook {
  readonly url: string;
  /** Types of events, such as `run.failed`; absent: all. */
  readonly events?: readonly string[];
}

/** A row of a batch. */
export interface BatchRowRef {
  readonly batch: string;
  /** Tells it from others of that id, before it and after. */
  readonly making: string;
  /** From 1. */
  readonly row: number;
}
