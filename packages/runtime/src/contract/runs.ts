import type {
  ActivationId,
  BatchRowRef,
  Budget,
  BudgetRecord,
  Command,
  JournalEntry,
  Message,
  MessageBody,
  MessageId,
  MessageRef,
  ModelUsage,
  OriginWebhook,
  RecordedActivation,
  Replay,
  RunId,
  RunLimits,
  RunRecord,
  Starter,
  StopReason,
  TenantId,
  Wait,
  Workflow,
} from '@millrace/core';
import type { Artifact } from '../activations/artifacts.ts';
import type { Content } from '../blobs/content.ts';
import type { Blobs } from '../blobs/port.ts';
import type { RunControl } from '../commit/run-control.ts';
import type { DispatchedCommand, OpenRun, Verdict } from '../commit/transact.ts';
import type { Live } from '../live/live.ts';
import type { Rates } from '../rates/port.ts';
import type { RunPage, RunQuery, RunSummary, Store } from '../store/port.ts';

/** Request to start a run. */
export interface StartRequest {
  readonly workflow: Workflow;
  /** What lists call the workflow, such as the name that it is published under; absent: the id of its graph. */
  readonly name?: string;
  /** The task: a text, or whole messages. */
  readonly input: string | readonly Message[];
  /** Caller-chosen id, the tenant's part included; starting the same id twice starts one run. */
  readonly run?: RunId;
  /** Time limit in milliseconds, without pauses. When it is over, work is aborted and the run fails. */
  readonly timeoutMs?: number;
  /** Tenant of the run when its id is not given; default: the default tenant. */
  readonly tenant?: TenantId;
  /** Words to find it by in lists. */
  readonly tags?: readonly string[];
  /** W3C `traceparent` of whoever starts it. */
  readonly trace?: string;
  /** Budget of the run; parts that are absent are as the workflow says. */
  readonly budget?: Budget;
  /** Webhook of this run alone, beside those of its tenant. */
  readonly webhook?: OriginWebhook;
  /** The row of a batch that it works on. */
  readonly batch?: BatchRowRef;
  /** The part of the installation that starts it; absent for a request of a caller. */
  readonly startedBy?: Starter;
  /** Priority from 1 to 1000; runs with a lower number go first, and runs without one before all others. */
  readonly priority?: number;
}

/** Description of a run. */
export interface RunDescription extends RunSummary {
  /** W3C `traceparent` of whoever started it. */
  readonly trace?: string;
  /** Id of the last event that the description covers; watch from here. */
  readonly seen: string;
  /** The final output; absent until there is one. */
  readonly output?: Message;
  /** Text of the last output of every node that produced one, by node id (root graph only). */
  readonly outputs: Readonly<Record<string, string>>;
  /** The data that these outputs carry beside their text; only nodes whose output carries some. */
  readonly dataByNode: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly usage: ModelUsage;
  /** The same by node: `<node>`, or `<graph>/<node>` inside a subgraph; only nodes that have asked a model. */
  readonly usageByNode: Readonly<Record<string, ModelUsage>>;
  /** Budget and what is spent of it; absent when the run has no budget. */
  readonly budget?: BudgetRecord;
  readonly activations: number;
  readonly error?: NonNullable<RunRecord['error']>;
  /** Reason why it is stopping or was terminated. */
  readonly stop?: StopReason;
  /** Entries of cycles that the iteration cap cut short. */
  readonly capped: readonly string[];
  readonly tasks: readonly Task[];
  /** The row of a batch that it works on. */
  readonly batch?: BatchRowRef;
}

/** An open question to a person. */
export interface Task {
  /** `<run>.<activation>`. */
  readonly id: string;
  readonly run: RunId;
  readonly activation: ActivationId;
  readonly node: string;
  readonly wait: Wait;
}

/** Request to replay a run. */
export interface ReplayRequest {
  /** Id of the new run, the tenant's part included; asking twice for one makes one run. */
  readonly as?: RunId;
  /** This activation of the old run, and what became ready after it, is done anew; absent: nothing is. */
  readonly liveFrom?: ActivationId;
}

/** Request to fork a run. */
export interface ForkRequest {
  /** Id of the new run, the tenant's part included; asking twice for one makes one run. */
  readonly as?: RunId;
  /** What it shares is what happened before this one was settled. */
  readonly at: ActivationId;
  /** What that activation comes to in the new run; absent: it is executed anew. */
  readonly output?: Message;
}

/** A run that others are made of: by its id, or the file that it was archived to when it was removed. */
export type RunSource = RunId | { readonly file: string };

/** Runs that are made of other runs. */
export interface Descendants {
  /** Runs the plan and task of a run again, answered from its journal. Throws RequestError. */
  replay(source: RunSource, request?: ReplayRequest): Promise<RunId>;
  /** Starts a run that shares the past of another one. Throws RequestError. */
  fork(source: RunSource, request: ForkRequest): Promise<RunId>;
}

/** Result of a call that starts a run. */
export interface StartResult {
  readonly run: RunId;
  /** False: a run of this id had been started before. */
  readonly started: boolean;
}

/** Recorded counterpart of an activation of a replay. */
export type ReplayedStep =
  | {
      readonly type: 'recorded';
      readonly source: RunId;
      readonly recorded: RecordedActivation;
      /** The bodies of messages that it names, as far as they came with the source's journal. */
      readonly bodies: (ids: readonly MessageId[]) => Promise<readonly MessageBody[]>;
      /** Number of answers that the activation has had in the replay. */
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
  replayedStep(run: RunId, activation: ActivationId, replay: Replay): Promise<ReplayedStep>;
}

/** Everything that can be done with runs; see createRuns. */
export interface Runs extends Descendants, Recordings, RunControl {
  start(request: StartRequest): Promise<RunId>;
  /** The same, and whether it was this call that started the run: there may have been one of its id. */
  startIfAbsent(request: StartRequest): Promise<StartResult>;
  describe(run: RunId): Promise<RunDescription | undefined>;
  list(query: RunQuery): Promise<RunPage>;
  /** Its open questions. Throws RequestError when there is no such run. */
  tasks(run: RunId): Promise<readonly Task[]>;
  /** The content of a file that its nodes have written, by {@link Artifact.id}. Throws RequestError. */
  artifact(run: RunId, id: string): Promise<Content>;
  /** Answers the open task of an activation; without an activation, the only open task of the run. Throws RequestError. */
  answer(run: RunId, activation: ActivationId | undefined, answer: Message): Promise<void>;
  /** Removes a run that has ended, with all that is kept of it. Throws RequestError. */
  remove(run: RunId): Promise<void>;
  /** Entries from after `after` on, as they happen; ends after `run.finished`, or when the signal is aborted. */
  watch(run: RunId, after: string, signal: AbortSignal): AsyncIterable<JournalEntry>;
  /** The run at least as of the commit that made this activation ready with this token; undefined when it is not there (any more). */
  open(run: RunId, activation: ActivationId, token: string): OpenRun | undefined | Promise<OpenRun | undefined>;
  /** The run as of now; undefined when there is no such run. */
  refresh(run: RunId): Promise<OpenRun | undefined>;
  /** Decides and commits a command, together with others for the same run that arrive meanwhile. */
  submit(run: RunId, command: Command): Promise<Verdict>;
  /**
   * The same, for a result whose giver need not wait: `sent` is fulfilled when the commit is on its way, so that what
   * is sent after that on the runtime's connection is carried out after it.
   */
  dispatch(run: RunId, command: Command): DispatchedCommand | Promise<DispatchedCommand>;
  bodies(run: RunId, ids: readonly MessageId[]): Promise<readonly MessageBody[]>;
  /** Not a promise when this process has all of them in memory, and so with `open` and `dispatch`. */
  messages(run: RunId, refs: readonly MessageRef[]): readonly Message[] | Promise<readonly Message[]>;
  /** Memory stores of the installation; they belong to no run. */
  readonly memories: Pick<Store, 'memory' | 'vectors' | 'keepVectors'>;
  /** The files that its nodes have written: all that are still there, or what one activation wrote. Throws RequestError. */
  artifacts(run: RunId, activation?: ActivationId): Promise<readonly Artifact[]>;
  /** Large contents, such as attachments and the files of workspaces. */
  readonly blobs: Blobs;
  /** Live events of steps at work. They reach those who watch, and are not stored. */
  readonly live: Live;
  /** The lines in front of models; they belong to no run. */
  readonly rates: Rates;
  /** Limits of what one run may hold. */
  readonly limits: RunLimits;
  /** Milliseconds since 1970 by the store's clock. */
  now(): number;
}
