import type { NodeEvent } from '../model/delta.ts';
import type { MemoryFiles, MemoryInteraction, RecallRequest } from '../model/memory.ts';
import type { Block, Message, ToolCall } from '../model/message.ts';
import type { Wait } from '../model/outcome.ts';
import type { Usage } from '../model/price.ts';
import type { RateLimit } from '../model/rate.ts';
import type { Workspace } from '../model/workspace.ts';
import type { EmitChunk, McpConnection, McpServer, ModelTool } from './tool.ts';

/** A request to a language model, in the words of the chat APIs. */
export interface ChatRequest {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly messages: readonly ChatMessage[];
  /** What the model may call; absent: nothing. */
  readonly tools?: readonly ModelTool[];
  /** Passed to the provider as they are: temperature, max_tokens and so on. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly retry: RetryPolicy;
  /** What the node may ask of the model in a minute, all its runs together. */
  readonly rateLimit?: RateLimit;
}

/** When and how often a failed model call is made again. Waits are in seconds and grow at random between the bounds. */
export interface RetryPolicy {
  /** Calls in total; 1 never retries. */
  readonly maxAttempts: number;
  readonly minWaitSeconds: number;
  readonly maxWaitSeconds: number;
  readonly statusCodes: readonly number[];
  /** Names of error classes, lower case. */
  readonly errorTypes: readonly string[];
  /** Names that are never retried; they win over all other rules. */
  readonly finalErrorTypes: readonly string[];
  /** Parts of an error message, lower case. */
  readonly messageParts: readonly string[];
}

/** A message on its way to a model: role and content only. */
export type ChatMessage = Pick<Message, 'role' | 'content' | 'name' | 'toolCalls' | 'toolCallId'>;

/** What a model answered. */
export interface ChatReply {
  readonly text: string;
  /** Pictures, recordings and files that it gave beside the text; a provider gives their contents as `data:` addresses. */
  readonly blocks?: readonly Block[];
  readonly toolCalls?: readonly ToolCall[];
  readonly usage?: Usage;
  /** Why the model stopped, in the provider's word. */
  readonly finishReason?: string;
}

/** A script to be run in a process of its own. */
export interface Program {
  /** Name or path of the program that reads the script; without arguments. */
  readonly interpreter: string;
  /** Stand between the interpreter and the script. */
  readonly args: readonly string[];
  /** What the process sees beside PATH, HOME and LANG; `${NAME}` stands for a variable of the worker. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  /** Of what the process writes, by its name in the web's encoding standard. */
  readonly encoding: string;
  /** The text of the script, or the files that it is one of. */
  readonly script: string | ProgramFiles;
}

/** Files that take the place of all that is in the workspace, but for the folder `attachments`. */
export interface ProgramFiles {
  readonly files: readonly { readonly path: string; readonly text: string }[];
  /** Path of the file that is run, whether or not it is among them. */
  readonly main: string;
}

/** What running a program came to. Output beyond a limit is cut, and says so. */
export interface ProgramRun {
  /** Directory that all programs of this execution of the graph run in. */
  readonly workspace: string;
  /** Path of the file with the script. */
  readonly script: string;
  readonly stdout: string;
  readonly stderr: string;
  /** `missing`: there is no such interpreter, and nothing was run. A negative exit code is a signal. */
  readonly end: { readonly type: 'exited'; readonly code: number } | { readonly type: 'timed out' | 'missing' };
}

/** The capabilities a node gets. A node does nothing to the world but through its host. */
export interface Host {
  readonly run: string;
  readonly node: string;
  readonly activation: string;
  /** Aborted when the run is cancelled or the worker stops; its reason says which. */
  readonly signal: AbortSignal;
  /** The run wants the behaviour of the original engine where ours differs. */
  readonly compat: boolean;
  /** Milliseconds since 1970 by Redis' clock, so that all workers agree. */
  now(): number;
  /** The node's own state as of this activation: what the last activation wrote, or undefined. */
  readonly state: unknown;
  /** The answer to this activation's wait, once there is one. */
  readonly answer: Message | undefined;
  /** Asks a model. The reply is remembered: after a crash it is read, not paid for again. */
  chat(request: ChatRequest): Promise<ChatReply>;
  /**
   * Does something to the outside world once: its JSON result is journaled and a later attempt gets it from there.
   * `name` must be the same on every attempt.
   */
  step<T>(name: string, request: unknown, action: (signal: AbortSignal, tell: EmitChunk) => Promise<T>): Promise<T>;
  /** What memory stores hold that fits, as text; undefined when there is nothing. A later attempt is told the same. */
  recall(recall: RecallRequest): Promise<string | undefined>;
  /** Notes what these stores are to remember; it is written when the activation completes, and once. */
  remember(experience: MemoryInteraction, stores: readonly string[]): Promise<void>;
  readonly memoryFiles: MemoryFiles;
  /**
   * Asks a person in the middle of an activation. Undefined: there is no answer yet; the node ends as suspended with this
   * wait, and is executed again when there is one. Each answer is remembered and given to one question only.
   */
  ask(wait: Wait): Promise<Message | undefined>;
  /** Notes what happened inside the activation beside its messages, for terminations to see. */
  note(event: NodeEvent): void;
  /** The files of this execution of the graph. */
  readonly workspace: Workspace;
  readonly skills: Skills;
  /** A server with tools; nothing is sent or started before it is used. */
  mcp(server: McpServer): McpConnection;
  /**
   * Runs a program in the workspace of the run and waits for its end. What it came to is remembered: after a crash a
   * program that has ended is not run again.
   */
  runProgram(program: Program): Promise<ProgramRun>;
}

/** The capabilities that a processor gets, on behalf of the node that the message comes from. */
export type EdgeHost = Pick<Host, 'run' | 'node' | 'signal' | 'compat' | 'workspace' | 'runProgram'>;

/** A folder with instructions that an agent may read: a SKILL.md, and what that refers to. */
export interface SkillFolder {
  /** The folder's name, which is the skill's name too. */
  readonly name: string;
  /** Where its SKILL.md is, for people and models to read. */
  readonly location: string;
  /** The text of its SKILL.md. */
  readonly text: string;
}

/** The skills that a worker has. */
export interface Skills {
  /** All folders with a SKILL.md, by name. */
  folders(): Promise<readonly SkillFolder[]>;
  /** The bytes of a file in a skill's folder, and nowhere else. */
  read(skill: string, path: string): Promise<Uint8Array>;
}
