import type {
  ActivationId,
  Attachment,
  Budget,
  InFlight,
  JournalEntry,
  MessageRef,
  RunId,
  Workflow,
} from '@millrace/core';
import type {
  Artifact,
  LiveEvent,
  PublishedWorkflow,
  RunDescription,
  RunSource,
  RunSummary,
  Task,
  WorkflowText,
} from '@millrace/runtime';
import type { PlanSummary } from './plan-summary.ts';

/**
 * What commands can do with runs, wherever these are: in a Redis or in this process (near), or behind an HTTP API (far).
 * All of it throws RequestError when it is refused.
 */
export interface CliClient extends RunControl {
  start(request: Start): Promise<RunId>;
  /** Undefined when there is no such run. */
  describe(run: RunId): Promise<RunDescription | undefined>;
  /** The newest runs, at most so many. */
  list(query: ListQuery): Promise<readonly RunSummary[]>;
  /** All entries from the first one on, as they happen; ends when the run has ended, or the signal is aborted. */
  watch(run: RunId, signal: AbortSignal): AsyncIterable<JournalEntry>;
  /** What steps say while they are at work, until the signal is aborted. */
  listen(run: RunId, signal: AbortSignal): AsyncIterable<LiveEvent>;
  /** The entries that there are now. */
  journal(run: RunId): AsyncIterable<JournalEntry>;
  /** What the entries of a run refer to by number. */
  outline(run: RunDescription): Promise<PlanSummary>;
  /** The text of a message of a run. */
  textOf(run: RunId, ref: MessageRef): Promise<string | undefined>;
  /** Puts a file where runs find it. */
  attach(file: LocalFile): Promise<Attachment>;
  /** The files that its nodes have written, or one activation has. */
  artifacts(run: RunId, activation?: ActivationId): Promise<readonly Artifact[]>;
  content(run: RunId, artifact: Artifact): Promise<Uint8Array>;
  readonly workflows: WorkflowRegistry;
  /** How many workers there are. */
  workers(): Promise<number>;
}

/** What can be asked of a run. */
export interface RunControl {
  answer(
    task: Pick<Task, 'run' | 'node'> & { readonly activation: ActivationId | undefined },
    said: PersonAnswer,
  ): Promise<void>;
  cancel(run: RunId, reason: string): Promise<void>;
  stop(run: RunId, how: StopOptions): Promise<void>;
  signal(run: RunId, signal: { readonly name: string; readonly note?: string }): Promise<void>;
  pause(run: RunId): Promise<void>;
  resume(run: RunId, how: ResumeRunOptions): Promise<void>;
  retry(run: RunId): Promise<void>;
  replay(source: RunSource, how: { readonly liveFrom?: ActivationId }): Promise<RunId>;
  fork(source: RunSource, how: { readonly at: ActivationId; readonly output?: string }): Promise<RunId>;
  /** Removes a run that has ended. */
  remove(run: RunId): Promise<void>;
}

/** What a person says: a text, and files. */
export interface PersonAnswer {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** How a run is stopped. */
export interface StopOptions {
  readonly note: string;
  readonly inFlight: InFlight;
  readonly scope?: string;
}

/** How a run goes on. */
export interface ResumeRunOptions {
  readonly input?: string;
  readonly budget?: Budget;
  readonly to?: string;
}

/** A file of this machine. */
export interface LocalFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Which runs are listed. */
export interface ListQuery {
  readonly tenant?: string;
  readonly workflow?: string;
  readonly tag?: string;
  readonly limit: number;
}

/** Workflows that are published under names. */
export interface WorkflowRegistry {
  publish(name: string, yaml: string): Promise<Omit<PublishedWorkflow, 'archivedAt'>>;
  /** What `NAME` stands for, or the version `NAME@HASH`, archived or not. */
  read(reference: string): Promise<WorkflowText>;
  /** The same for a run that is to start; throws when the workflow is archived. */
  resolve(reference: string): Promise<WorkflowText>;
  list(): AsyncIterable<PublishedWorkflow>;
}

/** What is started. */
export interface Start {
  /** As it was read here; absent where the installation itself reads it. */
  readonly workflow?: Workflow | undefined;
  /** Where it was read from. */
  readonly source: WorkflowSource;
  readonly task: PersonAnswer;
  readonly timeoutMs?: number;
  readonly budget?: Budget;
  /** How far others go before it. */
  readonly priority?: number;
}

/** A workflow as it was written: the text of a file, or what is published under a name. */
export type WorkflowSource = (
  | { readonly type: 'text'; readonly yaml: string }
  | { readonly type: 'published'; readonly reference: string }
) & {
  /** All values that were given or taken from the environment. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly compat?: 'chatdev';
};
