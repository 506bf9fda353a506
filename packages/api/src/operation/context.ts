import type {
  AskedCall,
  Budget,
  DataBlock,
  ReadOptions,
  ReadResult,
  RunId,
  Scope,
  TenantId,
  Vocabulary,
  Workflow,
} from '@millrace/core';
import type {
  ApiKeys,
  CallDecision,
  InstallationAdmin,
  InstalledModels,
  Intake,
  Limits,
  RunDescription,
  RunGraphs,
  Task,
  TenantBytes,
  TenantRuntime,
  UsageByDay,
} from '@millrace/runtime';
import type { ParsedRow, PreviewedTable, RawRow } from '../schemas/parsed-row.ts';
import type { Background } from './background.ts';

/** Environment of an operation. The tenant is bound in it, so no operation has a tenant in its input. */
export interface Context {
  readonly tenant: TenantRuntime;
  readonly scopes: readonly Scope[];
  readonly caller: CallerIdentity;
  readonly server: ServerState;
  readonly vocabulary: Vocabulary;
  readonly keys: ApiKeys;
  /** Usage of all tenants; operations read that of theirs. */
  readonly usage: UsageByDay;
  readonly intake: Intake;
  /** Refused jobs that are visible to the caller: those of its tenant, or those of all tenants. */
  readonly intakeOf: 'tenant' | 'all';
  /** Absent where runs live in one process only. */
  readonly background: Background | undefined;
  readonly reader: WorkflowReader;
  /** Returns the graphs of a workflow in the form of a run without events. */
  readonly graphsOf: (workflow: Workflow) => RunGraphs;
  readonly secretOfWebhook: SecretOfWebhook;
  readonly tables: Tables;
  readonly answerContent: AnswerContent;
  readonly callDecision: CallDecisionOf;
  /** Returns the media type of a file by its first bytes; undefined if they show none. */
  readonly mediaTypeOf: (beginning: Uint8Array) => Promise<string | undefined>;
  /** Throws RequestError, `ADDRESS_REFUSED`, for a URL that webhooks of a tenant may not reach. */
  readonly assertReachable: (tenant: TenantId, url: string) => Promise<void>;
  /** Aborted when the caller disconnects or the process ends. */
  readonly signal: AbortSignal;
  /** Seed for ids, equal for all requests with the same idempotency key; absent without a key. */
  readonly seed?: string | undefined;
  /** W3C `traceparent` of the request; absent without tracing. */
  readonly trace?: string | undefined;
  /** Waits for a reply of Redis for a short time, then throws RequestError, `REDIS_UNREACHABLE`. */
  readonly promptly: <T>(reply: Promise<T>) => Promise<T>;
  /**
   * Waits until a run has ended (for `idle`, also until it waits or is paused), the time is over or `signal` is aborted.
   * Returns the state of the run. Throws RequestError.
   */
  readonly awaitRun: (run: RunId, wait: RunWait) => Promise<RunDescription>;
  readonly cron: CronTimes;
  /** Returns 32 hex digits for a new id; later ids sort first. */
  readonly newSeed: () => string;
  /** Milliseconds since 1970 by the clock of the store. */
  readonly now: () => number;
}

/** Returns the content of an answer. Throws RequestError, `ANSWER_INVALID`, for one that is not what the question asks for. */
type AnswerContent = (
  question: Pick<Task, 'node' | 'wait'>,
  given: { readonly text?: string | undefined; readonly data?: DataBlock['data'] | undefined },
) => Promise<string | DataBlock>;

/** Returns the decision that an answer is. Throws RequestError, `ANSWER_INVALID`, for one that is none. */
type CallDecisionOf = (
  question: { readonly id: string; readonly call: AskedCall },
  given: Parameters<AnswerContent>[1],
) => Promise<Omit<CallDecision, 'by'>>;

/** Identity of the caller of an operation, for display. */
export interface CallerIdentity {
  /** Name of the key, its id if it has none, or the subject of the token. */
  readonly name: string;
  /** The server requires no key of programs on its own machine. */
  readonly open: boolean;
  /** Session of a signed-in browser; absent for other callers. */
  readonly session?: BrowserSession | undefined;
}

/** Session of a browser that is signed in. */
export interface BrowserSession {
  /** Value of the header `X-Millrace-UI`, which only pages of the server know. */
  readonly csrf: string;
  /** Milliseconds since 1970 when the session ends if the browser stays idle. */
  readonly expiresAt: number;
}

/** The process that executes operations. */
interface ServerState {
  readonly version: string;
  /** Returns the number of connected workers. */
  workers(): Promise<number>;
  /** Place of all runs; `memory`: that of this process. */
  readonly storage: 'redis' | 'memory';
}

/** File in a request; it is read as a stream. */
export interface UploadedContent {
  readonly name: string;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Readers of tables of a tenant. Both throw RequestError, `BATCH_INVALID`, for a file that is not a table. */
export interface Tables {
  /** Reads CSV or XLSX, according to the file extension; `columns` is the meaning of columns by their names. */
  read(
    file: UploadedContent,
    tenant: TenantId,
    columns?: Readonly<Record<string, string>>,
  ): Promise<readonly ParsedRow[]>;
  /** Reads a table for a preview, also if its columns have other names. */
  preview(file: UploadedContent, tenant: TenantId, columns?: Readonly<Record<string, string>>): Promise<PreviewedTable>;
  /** Reads rows that came as JSON. */
  ofRows(rows: Iterable<RawRow>): readonly ParsedRow[];
}

/** Options of waiting for a run. */
export interface RunWait {
  readonly until: 'idle' | 'ended';
  readonly waitMs: number;
}

/** The context of operations that concern the whole installation. */
export interface OperatorContext extends Context {
  readonly installation: Installation;
}

/** The parts of an installation that belong to no tenant. */
export interface Installation {
  readonly limits: Limits;
  /** The table of models that the installation keeps. */
  readonly models: Pick<InstalledModels, 'update'>;
  /** Maximum number of bytes that each tenant may store. */
  readonly storedBytes: number;
  /** Returns the bytes of all tenants that have stored any. */
  stored(): Promise<readonly TenantBytes[]>;
  /** Absent where runs live in one process only. */
  readonly admin: InstallationAdmin | undefined;
}

/** Times that recur, as a cron expression and a time zone name them. */
interface Cron {
  readonly cron: string;
  readonly timezone: string;
}

/** Parser of cron expressions. */
interface CronTimes {
  /** Throws RequestError, `CRON_INVALID`, for an expression or a time zone that does not exist. */
  assertValid(cron: Cron): void;
  /** Returns the first time after `after`; both in milliseconds since 1970. */
  next(cron: Cron, after: number): number;
  /** Returns the first `count` times after `after`; all in milliseconds since 1970. */
  nextTimes(cron: Cron, after: number, count: number): readonly number[];
  /** Returns an expression in words, as in `At 07:00, Monday through Friday`. */
  sentence(cron: string): Promise<string>;
}

/** The secret of a webhook, by which its receiver authenticates deliveries. It is derived when needed and stored nowhere. */
interface DerivedSecret {
  /** As Standard Webhooks writes it: `whsec_` and 32 bytes in base64. */
  readonly secret: string;
  /** Fingerprint of the secret of the installation that the secret is derived from. */
  readonly seal: string;
}

/** Derives the secret of a webhook. */
export type SecretOfWebhook = (tenant: TenantId, webhook: string) => Promise<DerivedSecret>;

/** Reads texts of workflows. */
interface WorkflowReader {
  /** Reads a text for an owner and returns its problems. Throws RequestError if too many texts of the owner wait. */
  read(task: ReadTask, owner: string): Promise<ReadReply>;
}

/** A text to read, and how to read it. */
interface ReadTask extends Pick<ReadOptions, 'mode' | 'variables' | 'compat'> {
  readonly text: string;
  /** `issues`: the result does not contain the workflow. */
  readonly wants: 'workflow' | 'issues';
  /** Parts of the budget that the run has in place of those of the text. */
  readonly budget?: Budget;
}

/** A workflow, if it has no error, and every problem that was found. */
export interface ReadReply extends ReadResult {
  readonly isValid: boolean;
}
