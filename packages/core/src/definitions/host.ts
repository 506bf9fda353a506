import type { UnknownRule, Warning } from '../model/failure.ts';
import type { MemoryFiles, MemoryInteraction, RecallRequest } from '../model/memory.ts';
import type { NodeEvent } from '../model/messages/delta.ts';
import type { Block, Message, ToolCall } from '../model/messages/message.ts';
import type { RateLimit } from '../model/usage/rate.ts';
import type { Usage } from '../model/usage/usage.ts';
import type { Workspace } from '../model/workspace.ts';
import type { CallToApprove, DecidedCall } from './approval.ts';
import type { AskedCall, Wait } from './outcome.ts';
import type { ToolPolicies } from './tool-policy.ts';

/** A request to a language model, in the terms of the chat APIs. */
export interface ChatRequest {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly messages: readonly ChatMessage[];
  /** Tools that the model may call; absent: none. */
  readonly tools?: readonly ModelTool[];
  /** Choice among the tools that the node needs, if the author writes none; absent: auto. */
  readonly toolChoice?: ToolChoice;
  /** Form that the text of the reply must have; absent: any. */
  readonly output?: OutputForm;
  /** As the author wrote them: temperature, max_tokens and so on. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Parts that later requests repeat; absent: it is not known. */
  readonly reuse?: PromptReuse;
  /** Limit of the reply in tokens that the engine chose, as an earlier reply was cut; the params take precedence. */
  readonly limit?: number;
  readonly retry: RetryPolicy;
  /** Models that are asked one after the other when this one gives no answer; absent: none. */
  readonly fallback?: readonly FallbackModel[];
  /** Rate limit of the node, for all of its runs together. */
  readonly rateLimit?: RateLimit;
}

/** A model that is asked in place of another one. */
export interface FallbackModel extends Pick<ChatRequest, 'provider' | 'model' | 'baseUrl' | 'apiKey' | 'params'> {
  /** Reasons for which it is asked. */
  readonly when: readonly FallbackReason[];
}

/**
 * Reason for which another model is asked: this one cannot be reached or fails, its quota or rate limit is used up, it does
 * not exist, it refuses to answer, or the conversation is too long for it.
 */
export type FallbackReason = 'unavailable' | 'quota' | 'missing' | 'refusal' | 'context';

/** Parts of a request that later requests repeat, so that its provider may keep them. It changes no words of the request. */
export interface PromptReuse {
  /** The next request of the activation begins with the whole of this one. */
  readonly whole: boolean;
  /** Requests of other activations begin with the same tools and the same system prompt, which are worth keeping. */
  readonly start: boolean;
  /** The provider is to keep them for an hour; absent: for its shortest time. */
  readonly long?: true;
  /** The author asks for it, so that it is asked of a server of which it is not known if it keeps prompts, too. */
  readonly written?: true;
}

/** Whether the model calls tools: as it sees fit, at least one, none, or a certain one. */
export type ToolChoice = 'auto' | 'required' | 'none' | { readonly tool: string };

/**
 * Form of the text of a reply: a JSON object that matches a schema, which is asked for but not promised.
 *
 * - `native`: the API has a form for it.
 * - `tool`: the model calls a tool whose arguments are the object; their JSON is the text of the reply.
 * - `json`: an instruction.
 * - `auto`: the best of these that the model is known to have.
 * - `if_native`: `native` if the model is known to have it, and no choice of a tool is forced; else nothing.
 */
export interface OutputForm {
  readonly schema: JsonSchema;
  readonly mode: 'auto' | 'native' | 'tool' | 'json' | 'if_native';
}

/** Number and delays of the repetitions of a failed model call. Delays are in seconds, random, and grow between the bounds. */
export interface RetryPolicy {
  /** Number of calls in total; 1 never retries. */
  readonly maxAttempts: number;
  readonly minWaitSeconds: number;
  readonly maxWaitSeconds: number;
  readonly statusCodes: readonly number[];
  /** Names of error classes, in lower case. */
  readonly errorTypes: readonly string[];
  /** Names of error classes that are never retried; they override all other rules. */
  readonly finalErrorTypes: readonly string[];
  /** Parts of error messages, in lower case. */
  readonly messageParts: readonly string[];
}

/** The policy by which a call is made once. */
export const noRetries: RetryPolicy = {
  maxAttempts: 1,
  minWaitSeconds: 0,
  maxWaitSeconds: 0,
  statusCodes: [],
  errorTypes: [],
  finalErrorTypes: [],
  messageParts: [],
};

/** A message to a model, without its source. */
export type ChatMessage = Pick<Message, 'role' | 'content' | 'name' | 'toolCalls' | 'toolCallId'> &
  Pick<ChatReply, 'opaque'>;

/**
 * How a reply ended: normally, with calls, at its limit of tokens or of the context, withheld by a filter, refused by the
 * model, with a call that cannot be read, paused in the middle, or with a word that is not known.
 */
export type ReplyEnd =
  | 'stop'
  | 'calls'
  | 'length'
  | 'context'
  | 'filter'
  | 'refusal'
  | 'malformed'
  | 'paused'
  | 'unknown';

/** The reply of a model. */
export interface ChatReply {
  readonly text: string;
  readonly end: ReplyEnd;
  /** Thoughts of the model, which are no part of the text. */
  readonly thoughts?: string;
  /** Images, recordings and files beside the text; their contents are `data:` URIs. */
  readonly blocks?: readonly Block[];
  readonly toolCalls?: readonly ToolCall[];
  /** Data of the provider with which a paused reply is continued. */
  readonly opaque?: string;
  readonly usage?: Usage;
  /** Tokens that a prompt of the model may have, as they were known when it was asked; only for a model with tools. */
  readonly context?: number;
  /** Reason for which the model stopped, in the provider's words. */
  readonly finishReason?: string;
  /** Problems that did not keep the model from answering. */
  readonly warnings?: readonly Warning[];
}

/**
 * Terms of a step that must not be made twice. Its outcome is unknown if another attempt has begun it and left no result; then
 * `rule` decides: `repeat` makes it again, with the others its result is `unknown`. An action that returns `unknown` itself says
 * that it cannot know what came of it.
 */
export interface OnceTerms<T> {
  readonly rule: UnknownRule;
  readonly unknown: T;
}

/** Terms of a step that makes a call of a tool. */
export interface CallTerms<T> {
  /** It must not be made twice. */
  readonly once?: OnceTerms<T> | undefined;
  /** A person must approve it. Until then the step throws {@link CallUndecided}; its action gets the decision. */
  readonly approval?: CallToApprove | undefined;
  /** A rule refuses it: the action makes no call. */
  readonly refused?: true | undefined;
  /** It runs a program in the files of the run, and does nothing else. */
  readonly runsProgram?: true | undefined;
}

/** A script to run in a separate process. */
export interface Program {
  /** Name or path of the program that reads the script, without arguments. */
  readonly interpreter: string;
  /** Arguments between the interpreter and the script. */
  readonly args: readonly string[];
  /** Environment of the process beside PATH, HOME and LANG; `${NAME}` is replaced by a variable of the worker. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  /** Encoding of the output, by its name in the Encoding Standard. */
  readonly encoding: string;
  /** The text of the script, or the files that contain it. */
  readonly script: string | ProgramFiles;
  /** The script leaves no file of its own in the workspace. */
  readonly isTemporary?: true;
}

/** Files that replace everything in the workspace except the folder `attachments`. */
export interface ProgramFiles {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Path of the file to run, which may be an existing one. */
  readonly main: string;
}

/** Result of a program. Output beyond a limit is cut, with a note. */
export interface ProgramRun {
  /** Directory in which all programs of this frame run. */
  readonly workspace: string;
  /** Path of the file with the script. */
  readonly script: string;
  readonly stdout: string;
  readonly stderr: string;
  /** `missing`: the interpreter does not exist, and nothing was run. A negative exit code is a signal. */
  readonly end: { readonly type: 'exited'; readonly code: number } | { readonly type: 'timed out' | 'missing' };
}

/**
 * Capabilities of a node. A node affects the outside world only through its host. The functions work without the host, as
 * in `const { chat } = host`; a spread, `{ ...host }`, copies none of its members.
 */
export interface Host {
  readonly run: string;
  readonly node: string;
  readonly activation: string;
  /** Aborted when the run is cancelled or the worker stops; its reason says which. */
  readonly signal: AbortSignal;
  /** The run needs the behaviour of the original engine where ours differs. */
  readonly compat: boolean;
  /** The activation is one unit of a fan-out. */
  readonly isUnit: boolean;
  /** The node, or a node that contains it, is in a cycle or has a fan-out: it likely asks again with the same configuration. */
  readonly isRepeated: boolean;
  /** Milliseconds since 1970 by Redis' clock, so that all workers agree. */
  now(): number;
  /**
   * Milliseconds of a clock for durations. It stands still while the run has ended, and for a fork between its history and its
   * beginning; so a timer that is continued later decides as it would have then.
   */
  runTime(): number;
  /** State of the node: the value that its last activation wrote, or undefined. */
  readonly state: unknown;
  /** The answer to this activation's wait, if there is one. */
  readonly answer: Message | undefined;
  /** Calls a model. The reply is journaled: after a crash it is read, and not paid for again. */
  chat(request: ChatRequest): Promise<ChatReply>;
  /**
   * Executes a side effect once: its JSON result is journaled, and a later attempt reads it. `name` must be the same in
   * every attempt. `none` says that the action changes nothing outside of the run, so a replay may execute it; terms, that it
   * must not be executed twice, or only if a person approves it.
   */
  step<T>(
    name: string,
    request: unknown,
    action: (doing: StepAction) => Promise<T>,
    effect?: 'none' | CallTerms<T>,
  ): Promise<T>;
  /**
   * Waits until the results of all steps so far are stored. For what is done outside of steps, such as by functions of the
   * installation: it must not follow from a result that is lost with its worker.
   */
  storeResults(): Promise<void>;
  /** Returns the question about a call, if nobody has decided on it. */
  undecided(call: CallToApprove): Promise<AskedCall | undefined>;
  /** Returns the decision of a person on exactly this call, whether or not a policy still asks; undefined if there is none. */
  decisionOn(call: Omit<CallToApprove, 'rule'>): Promise<DecidedCall | undefined>;
  /** Policies for calls of tools. */
  readonly toolPolicies: ToolPolicies;
  /** Returns matching memories of stores as text; undefined if there are none. A later attempt gets the same text. */
  recall(recall: RecallRequest): Promise<string | undefined>;
  /** Adds an interaction for these stores to remember; it is written exactly once, when the activation completes. */
  remember(experience: MemoryInteraction, stores: readonly string[]): Promise<void>;
  readonly memoryFiles: MemoryFiles;
  /**
   * Asks a person during an activation. Returns undefined while there is no answer: the node then returns `suspended`
   * with this wait, and is executed again when there is one. Each answer is journaled and belongs to one question only.
   */
  ask(wait: Wait): Promise<Message | undefined>;
  /** Adds an event of the activation for terminations to observe. */
  note(event: NodeEvent): void;
  /** Adds a warning to the activation, for people; a run with `--strict` fails with it. */
  warn(warning: Warning): void;
  /** Brings the files of this frame to the worker, at the first call, and returns them. */
  openWorkspace(): Promise<Workspace>;
  readonly skills: Skills;
  /** `fetch` for addresses that a model or a workflow names: it reaches only what the run may reach. */
  readonly fetch: typeof globalThis.fetch;
  /** Returns a server with tools; it is connected or started when it is first used. */
  mcp(server: McpServer): McpConnection;
  /**
   * Runs a program in the workspace of the run and waits for its end. The result is journaled: after a crash, a program
   * that has ended is not run again.
   */
  runProgram(program: Program): Promise<ProgramRun>;
}

/** Capabilities of a processor, on behalf of the source node of its message. */
export interface EdgeHost extends Pick<Host, 'run' | 'node' | 'signal' | 'compat' | 'runProgram'> {
  /** The files of the frame, for a processor that says that it uses them. */
  readonly workspace: Workspace;
}

/** A folder with instructions that an agent may read: a SKILL.md, and the files that it refers to. */
export interface SkillFolder {
  /** Name of the folder and of the skill. */
  readonly name: string;
  /** Path of its SKILL.md, for people and models to read. */
  readonly location: string;
  /** The text of its SKILL.md. */
  readonly text: string;
}

/** The skills of a worker. */
export interface Skills {
  /** Returns all folders with a SKILL.md, by name. */
  folders(): Promise<readonly SkillFolder[]>;
  /** Returns the bytes of a file in a skill's folder; files outside of it are refused. */
  read(skill: string, path: string): Promise<Uint8Array>;
}

/** A JSON Schema as plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as described to a model. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, which are an object. */
  readonly parameters: JsonSchema;
}

/** A tool of a server, with what the server says about its effects: hints, which nobody has checked. */
export interface ServerTool extends ModelTool {
  readonly annotations?: ToolAnnotations;
}

/** Hints of a server about a tool. */
export interface ToolAnnotations {
  /** It changes nothing. */
  readonly readOnlyHint?: boolean;
  /** It may remove or overwrite. */
  readonly destructiveHint?: boolean;
  /** A further call with the same arguments changes nothing more. */
  readonly idempotentHint?: boolean;
}

/** The answer of a tool to the model. */
export interface ToolAnswer {
  readonly content: string | readonly Block[];
  /** The tool reports that it failed. */
  readonly failed?: true;
  /** The outcome of the call is unknown; this rule decides what follows. */
  readonly unknown?: UnknownRule;
  /** The program that was run for the call. */
  readonly ran?: string;
}

/** A server with tools, at a URL or started as a command. Headers and variables may name secrets as `${NAME}`. */
export type McpServer =
  | {
      readonly type: 'remote';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Time limit of one request. */
      readonly timeoutSeconds: number;
    }
  | {
      readonly type: 'local';
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd?: string;
      readonly env: Readonly<Record<string, string>>;
      /** The command inherits the environment of the worker. */
      readonly inheritEnv: boolean;
      readonly startupTimeoutSeconds: number;
    };

/**
 * A connection to a server of the Model Context Protocol. It opens with the first use and closes when the activation
 * ends.
 */
export interface McpConnection {
  tools(): Promise<readonly ServerTool[]>;
  /** Calls a tool. Throws a {@link CallLost} if the server has not answered a call that it may have received. */
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    enclosing: {
      readonly signal: AbortSignal;
      readonly emit: EmitChunk;
      /** Data beside the arguments, such as an idempotency key, by its name. */
      readonly meta?: Readonly<Record<string, string>>;
    },
  ): Promise<ToolAnswer>;
}

/** Publishes a part of a text to those who follow a run, while a step is under way; it is not stored. */
export type EmitChunk = (piece: string) => void;

/** Waits some milliseconds by the clock of the worker; rejects when the signal is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** What the action of a step may use. */
export interface StepAction {
  /** Aborted when the step is not wanted any more. */
  readonly signal: AbortSignal;
  readonly emit: EmitChunk;
  readonly sleep: Sleep;
  /** The decision on a call that a person must approve; absent: none is needed. */
  readonly decided?: DecidedCall;
  /** An interrupted attempt has begun the call before it was refused: it may have been made. */
  readonly begun?: true;
  /** Runs a program in the workspace of the run as a part of the step, and waits for its end. */
  runProgram(program: Program): Promise<ProgramRun>;
}
