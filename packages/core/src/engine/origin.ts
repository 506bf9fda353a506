import type { ActivationId, RunId } from '../model/ids.ts';

/** What a run was started as; it never changes. */
export interface Origin {
  /** What lists of runs call its workflow: the name of a stored one, or the id of its graph. */
  readonly workflow: string;
  /** Words to find it by. */
  readonly tags?: readonly string[];
  /** W3C `traceparent` of whoever started it. */
  readonly trace?: string;
  /** Its steps and people's answers are read from the journal of another run. */
  readonly replay?: Replay;
  /** It has its past from another run. */
  readonly fork?: { readonly run: RunId; readonly activation: ActivationId };
}

/** Which journal answers the steps of a run. */
export interface Replay {
  readonly run: RunId;
  /** The last entry that counts: a journal may grow when its run is resumed. */
  readonly until: string;
  /** This activation of that run, and what became ready after it, is done anew; absent: nothing is. */
  readonly liveFrom?: ActivationId;
}
