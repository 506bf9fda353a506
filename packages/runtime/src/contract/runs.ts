import type {
  ActivationId,
  AskedCall,
  BatchRowRef,
  Budget,
  BudgetRecord,
  Command,
  ForkPreview,
  JournalEntry,
  Message,
  MessageBody,
  MessageId,
  MessageRef,
  ModelSettings,
  ModelUsage,
  OriginWebhook,
  QuestionPlace,
  RecordedActivation,
  RecordedStep,
  Replay,
  ReplayMode,
  RunId,
  RunLimits,
  RunRecord,
  RunWarnings,
  Starter,
  StepPlace,
  StopReason,
  TenantId,
  Wait,
  Workflow,
} from '@millrace/core';
import type { RunProjection } from '@millrace/core/projection';
import type { Artifact } from '../activations/artifacts.ts';
import type { MessageHead } from '../activations/message-heads.ts';
import type { Content } from '../blobs/content.ts';
import type { DispatchedCommand, OpenRun, Verdict } from '../commit/cached-run.ts';
import type { RunControl } from '../commit/run-control.ts';
import type { ArchiveFile } from '../journal/archive/archive-file.ts';
import type { Live } from '../live/live.ts';
import type { TenantEvents } from '../live/tenant-events.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Rates } from '../ports/rates.ts';
import type {
  Confirmation,
  RunCounts,
  RunEnd,
  RunPage,
  RunQuery,
  RunScope,
  RunSummary,
  Store,
} from '../ports/store/port.ts';
import type { RunGraphs } from './run-graphs.ts';

/** Request to start a run. */
export interface StartRequest {
  readonly workflow: Workflow;
  /** The text that the workflow was read from, and the values for its variables without secrets, for people. */
  readonly definition?: { readonly yaml: string; readonly vars?: Readonly<Record<string, unknown>> };
  /** Name of the workflow in lists, such as the name under which it is published; absent: the id of its graph. */
  readonly name?: string;
  /** The task: a text, or whole messages. */
  readonly input: string | readonly Message[];
  /** Caller-chosen id, the tenant's part included; starting the same id twice starts one run. */
  readonly run?: RunId;
  /** Time limit in milliseconds, without pauses. When it is over, work is aborted and the run fails. */
  readonly timeoutMs?: number;
  /** Makes the run temporary: it is removed so many milliseconds after its start, and lists do not show it. */
  readonly ttlMs?: number;
  /** Tenant of the run when its id is not given; default: the default tenant. */
  readonly tenant?: TenantId;
  /** Labels that lists of runs can filter by. */
  readonly tags?: readonly string[];
  /** W3C `traceparent` of the caller. */
  readonly trace?: string;
  /** Budget of the run; absent parts are as the workflow defines them. */
  readonly budget?: Budget;
  /** Webhook of this run only, in addition to those of its tenant. */
  readonly webhook?: OriginWebhook;
  /** Row of a batch that the run processes. */
  readonly batch?: BatchRowRef;
  /** The part of the installation that starts it; absent for a request of a caller. */
  readonly startedBy?: Starter;
  /** False: what models are asked is not stored, as if the workflow said so. */
  readonly recordRequests?: boolean;
  /** Priority from 1 to 1000; runs with a lower number go first, and runs without one before all others. */
  readonly priority?: number;
}

/** The workflow that a run was started with. */
export interface RunDefinition {
  /** The name that it is published under, or else the id of its graph. */
  readonly name: string;
  /** Absent for a run that a program started without the text of its workflow. */
  readonly text?: {
    /** The first half of the SHA-256 of the text. */
    readonly hash: string;
    readonly yaml: string;
    readonly vars: Readonly<Record<string, unknown>>;
  };
  /** It follows the engine of ChatDev where ours differs. */
  readonly compat?: 'chatdev';
  /** Limits of the run; absent: it has none. */
  readonly budget?: Budget;
}

/** An answer, and its author when known. */
export interface Answer {
  readonly message: Message;
  readonly by?: string | undefined;
}

/** Description of a run. */
export interface RunDescription extends RunSummary {
  /** W3C `traceparent` of the caller that started it. */
  readonly trace?: string;
  /** Id of the last event that the description covers; watch from here. */
  readonly seen: string;
  /** Time of that event. */
  readonly seenAt: number;
  /** The final output; absent until there is one. */
  readonly output?: Message;
  /** Text of the last output of every node that produced one, by node id (root graph only). */
  readonly outputs: Readonly<Record<string, string>>;
  /** Data that these outputs carry beside their text; only nodes with such data. */
  readonly dataByNode: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly usage: ModelUsage;
  /** Recorded usage of the calls whose results a replay took from its source: they are charged to nobody. Absent: none. */
  readonly recorded?: ModelUsage;
  /** `usage` by node: `<node>`, or `<graph>/<node>` inside a subgraph; only nodes that have asked a model. */
  readonly usageByNode: Readonly<Record<string, ModelUsage>>;
  /** Budget and what is spent of it; absent when the run has no budget. */
  readonly budget?: BudgetRecord;
  readonly activations: number;
  readonly error?: NonNullable<RunRecord['error']>;
  /** Reason why it is stopping or was terminated. */
  readonly stop?: StopReason;
  /** Entries of cycles that the iteration cap cut short. */
  readonly capped: readonly string[];
  /** Problems that did not change the outcome. */
  readonly warnings: RunWarnings;
  readonly tasks: readonly Task[];
  /** Row of a batch that the run processes. */
  readonly batch?: BatchRowRef;
}

/** A decision of a person on a call of a tool, and its author when known. */
export interface CallDecision {
  readonly decision: 'approve' | 'reject';
  /** Arguments in place of those of the model. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  /** Reason for the model. */
  readonly reason?: string | undefined;
  /** Hash of the call that the person has seen; absent: whatever the question is about now. */
  readonly hash?: string | undefined;
  readonly by?: string | undefined;
}

/** A question that an activation asks, which is about no call of a tool. */
export type ActivationQuestion = Omit<QuestionPlace, 'place'>;

/** A question about the call of a tool. */
export interface CallQuestion extends QuestionPlace {
  readonly place: number;
}

/** An open question to a person. */
export interface Task extends QuestionPlace {
  /** See `questionId`. */
  readonly id: string;
  readonly run: RunId;
  readonly node: string;
  readonly wait: Wait;
  /** The call that a person is to decide on; only with a wait of the kind `approval`. */
  readonly call?: AskedCall;
  /** Milliseconds since 1970; absent in descriptions of runs. */
  readonly askedAt?: number;
  /** An earlier question of the node can be compared with this one; absent: it is the first, or the description of a run. */
  readonly askedBefore?: true;
  /** Milliseconds since 1970 when the time limit of the run withdraws it; absent: never. */
  readonly dueAt?: number;
  /** Title of the run. */
  readonly title?: string;
  /** Nodes to which the answer may lead; absent if it leads nowhere else, such as the answer to a question of a tool. */
  readonly goesTo?: readonly AnswerExit[];
}

/** Request to replay a run. */
export interface ReplayRequest {
  /** Id of the new run, the tenant's part included; two requests with the same id make one run. */
  readonly as?: RunId;
  /** Activation of the old run that is executed again, with those that became ready after it; absent: none. */
  readonly liveFrom?: ActivationId;
  /** Another workflow, under which the task of the old run is repeated; any, not only one of the same skeleton. */
  readonly plan?: Pick<StartRequest, 'workflow' | 'definition'>;
  /** Use of the recorded results; default: `strict`. */
  readonly mode?: ReplayMode;
  /** Makes the replay temporary: it is removed so many milliseconds after its start, and lists do not show it. */
  readonly ttlMs?: number;
  /** Budget of the replay for the calls that it makes; default: that of the old run. */
  readonly budget?: Budget;
  /** Called now and then while the history of a long run is copied. */
  readonly onProgress?: (progress: CopyProgress) => void;
}

/** Activations of a run whose part of the journal is copied, and their number. */
export interface CopyProgress {
  readonly done: number;
  readonly total: number;
}

/** Request to fork a run. */
export interface ForkRequest {
  /** Id of the new run, the tenant's part included; two requests with the same id make one run. */
  readonly as?: RunId;
  /** Activation of the old run; the fork shares the history before it was settled. */
  readonly at: ActivationId;
  /** Result of that activation in the new run; absent: it is executed again. */
  readonly output?: Message;
  /** Input of that activation in the new run instead of the messages that it had. */
  readonly input?: string;
  /** Workflow with which the new run continues: it has the same skeleton as the one of the old run. */
  readonly plan?: Pick<StartRequest, 'workflow' | 'definition'>;
  /** Another system prompt or model of the node of that activation. */
  readonly settings?: Partial<ModelSettings>;
  /** Called now and then while the history of a long run is copied. */
  readonly onProgress?: (progress: CopyProgress) => void;
}

/** Original run of a replay or fork: its id, or the file that it was archived to when it was removed. */
export type RunSource = RunId | { readonly file: ArchiveFile };

/** Creation of runs from other runs. */
export interface Descendants {
  /** Repeats the plan and task of a run with the recorded steps of its journal. Throws RequestError. */
  replay(source: RunSource, request?: ReplayRequest): Promise<RunId>;
  /** Starts a run that shares the history of another one. Throws RequestError. */
  fork(source: RunSource, request: ForkRequest): Promise<RunId>;
  /** Returns the history that a fork would take over, and the work that it would repeat. Throws RequestError. */
  previewFork(source: RunSource, at: ActivationId): Promise<ForkPreview>;
}

/** Result of a call that starts a run. */
export interface StartResult {
  readonly run: RunId;
  /** False: a run of this id already existed. */
  readonly started: boolean;
}

/** Recorded counterpart of an activation of a replay. */
export type ReplayedStep =
  | {
      readonly type: 'recorded';
      readonly mode: ReplayMode;
      readonly source: RunId;
      readonly recorded: RecordedActivation;
      /** Bodies of the messages that it names, as far as they came with the source's journal. */
      readonly bodies: (ids: readonly MessageId[]) => Promise<readonly MessageBody[]>;
      /** Number of recorded answers that the activation has used in the replay. */
      readonly answered: number;
      /** A step without a recording is executed because of `liveFrom`; that is not an error. */
      readonly goesLive: boolean;
      readonly find: FindCall;
      /** See below. */
      readonly lagMs: number;
    }
  /** `lagMs`: how much later the replay is at the same place than its source, by their clocks for durations. */
  | { readonly type: 'live'; readonly lagMs: number }
  /** The source never had this activation. */
  | {
      readonly type: 'new';
      readonly mode: ReplayMode;
      readonly source: RunId;
      readonly bodies: (ids: readonly MessageId[]) => Promise<readonly MessageBody[]>;
      readonly find: FindCall;
      readonly lagMs: number;
    };

/** A step of an activation of a replay that looks for a recorded result. */
export interface ReplayedCall {
  readonly step: number;
  readonly name: string;
  /** Hash of its request. */
  readonly request: string;
  /** Place at which the source may have the result: the same, anywhere, or the same until the replay has made a step. */
  readonly where: 'here' | 'anywhere' | 'here until live';
}

/** A step of the source of a replay. */
export interface FoundStep {
  readonly step: RecordedStep;
  /** Its place, if that is another one. */
  readonly from?: StepPlace;
}

/** Returns a step with the same name and request, whose result no step of the replay so far has taken. */
export type FindCall = (call: ReplayedCall) => Promise<FoundStep | undefined>;

/** Recordings of the journals of original runs and of their replays, to match places in both. */
export interface Recordings {
  /** Reads the events of the replay since the last call of this process; the source is read once. */
  replayedStep(run: RunId, activation: ActivationId, replay: Replay): Promise<ReplayedStep>;
}

/** Everything that can be done with runs; see createRuns. */
export interface Runs extends Descendants, Recordings, RunControl {
  start(request: StartRequest): Promise<RunId>;
  /** Starts a run and returns whether this call started it: a run of its id may have existed. */
  startIfAbsent(request: StartRequest): Promise<StartResult>;
  /** Returns whether a run exists, once as many replicas have it as of a run that is started. */
  exists(run: RunId): Promise<boolean>;
  /** Waits until replicas have a run as this process knows it; `diverged` if the store has lost that. */
  confirm(run: RunId): Promise<Confirmation>;
  /** `head`: without the outputs of nodes, which may be long. */
  describe(run: RunId, view?: 'head'): Promise<RunDescription | undefined>;
  /** Describes a run that this process has just started: as it knows it, without a read unless it has forgotten it. */
  describeStarted(run: RunId): Promise<RunDescription | undefined>;
  list(query: RunQuery): Promise<RunPage>;
  count(scope: RunScope): Promise<RunCounts>;
  /** Returns the projection of a run now, or as of an event; undefined when there is no such run. */
  projection(run: RunId, at?: string): Promise<RunProjection | undefined>;
  /** Returns the graphs of a run now, or as of an event; undefined when there is no such run. */
  graphs(run: RunId, at?: string): Promise<RunGraphs | undefined>;
  /** Returns the open questions of a run. Throws RequestError when there is no such run. */
  tasks(run: RunId): Promise<readonly Task[]>;
  /**
   * Returns the content of a file that the run's nodes have written, by {@link Artifact.id}, or of the version with a
   * digest. Throws RequestError.
   */
  artifact(run: RunId, id: string, digest?: string): Promise<Content>;
  /** Returns the versions of a file, the oldest first. Throws RequestError. */
  fileVersions(run: RunId, id: string): Promise<readonly Artifact[]>;
  /** Answers a question; without one, the only open question of the run. Throws RequestError. */
  answer(run: RunId, question: ActivationQuestion | undefined, answer: Answer): Promise<void>;
  /** Decides on a call of a tool that an activation asks about. Throws RequestError. */
  decide(run: RunId, question: CallQuestion, decision: CallDecision): Promise<void>;
  /** Removes an ended run with all of its data. Throws RequestError. */
  remove(run: RunId): Promise<void>;
  /** Yields entries after `after` as they happen; ends after `run.finished`, or when the signal is aborted. */
  watch(run: RunId, after: string, signal: AbortSignal): AsyncIterable<JournalEntry>;
  /**
   * Returns the run at least as of the commit that made this activation ready with this token; undefined when the
   * activation no longer exists.
   */
  open(run: RunId, activation: ActivationId, token: string): OpenRun | undefined | Promise<OpenRun | undefined>;
  /** Returns the present run, with a plan without graphs if its own cannot be loaded; undefined when there is no such run. */
  refresh(run: RunId): Promise<OpenRun | undefined>;
  /** Decides and commits a command, together with others for the same run that arrive meanwhile. */
  submit(run: RunId, command: Command): Promise<Verdict>;
  /**
   * Submits a result whose sender need not wait: `sent` is fulfilled when the commit is on its way, so that whatever is
   * sent after that on the runtime's connection is executed after it.
   */
  dispatch(run: RunId, command: Command): DispatchedCommand | Promise<DispatchedCommand>;
  bodies(run: RunId, ids: readonly MessageId[]): Promise<readonly MessageBody[]>;
  /** Returns the beginnings of messages, with as many characters. */
  heads(run: RunId, refs: readonly Pick<MessageRef, 'id'>[], chars: number): Promise<readonly MessageHead[]>;
  /** Returns messages; like `open` and `dispatch`, synchronously when this process has all of their bodies. */
  messages(run: RunId, refs: readonly MessageRef[]): readonly Message[] | Promise<readonly Message[]>;
  /** Memory stores of the installation; they belong to no run. */
  readonly memories: Pick<Store, 'memory' | 'vectors' | 'keepVectors'>;
  /** Returns the existing files that the run's nodes, or one activation, have written. Throws RequestError. */
  artifacts(run: RunId, activation?: ActivationId): Promise<readonly Artifact[]>;
  /** Returns whether and when a run has ended, without loading it. */
  endOf(run: RunId): Promise<RunEnd>;
  /** The random id of the installation, and whether it outlives this process. */
  readonly installation: { readonly id: () => Promise<string>; readonly isDurable: boolean };
  /** Large contents, such as attachments and the files of workspaces. */
  readonly blobs: Blobs;
  /** Returns blobs that count what is put for the tenant of a run. They throw NodeError, STORAGE_FULL, if it has no room. */
  blobsFor(run: RunId): Pick<Blobs, 'put'>;
  /** Live events of executing steps. They reach watching clients and are not stored. */
  readonly live: Live;
  /** Events of the lists of tenants. They reach watching clients and are not stored. */
  readonly tenantEvents: TenantEvents;
  /** Rate limits of models; they belong to no run. */
  readonly rates: Rates;
  /** Limits of what one run may hold. */
  readonly limits: RunLimits;
  /** Milliseconds since 1970 by the store's clock. */
  now(): number;
}

/** A node to which an answer may lead. */
export interface AnswerExit {
  /** Id of the node. */
  readonly to: string;
  /** Condition in words; absent: every answer leads there. */
  readonly condition?: string;
  /** Test of the text that the condition makes; absent if code decides. */
  readonly test?: TextTest;
}

/**
 * Test of a text, as the conditions `keyword` and `regex` make it: all of `all`, none of `none`, and one of `any` or
 * `patterns` if there are any.
 */
export interface TextTest {
  readonly any: readonly string[];
  readonly all: readonly string[];
  readonly none: readonly string[];
  /** Regular expressions in the syntax of Python. */
  readonly patterns: readonly string[];
  /** Flags of patterns by their names in Python; with `IGNORECASE`, words ignore letter case, too. */
  readonly flags: readonly string[];
}
