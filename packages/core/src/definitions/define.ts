import type { z } from 'zod';
import type { EmbeddingRequest, Memory, MemoryInteraction, MemoryItem, WriteMode } from '../model/memory.ts';
import type { Message } from '../model/message.ts';
import type { Failure, Outcome } from '../model/outcome.ts';
import type { Workspace } from '../model/workspace.ts';
import type { TerminationDefinition } from './define-termination.ts';
import type { Definition } from './definition.ts';
import type { ChatReply, ChatRequest, EdgeHost, Host } from './host.ts';
import type { EmitChunk, JsonSchema } from './tool.ts';
import type { ReadLimits } from './workflow-limits.ts';

/** Hashes of a run that nodes keep their own state in. */
export type NodeState = 'counters' | 'timers' | 'controllers';

/** Mutable facts about how a definition takes part in a run. */
export interface NodeTraits {
  /** Ends loops: a cycle with such a node and an edge out of it is not cut by the iteration cap. */
  readonly guard?: true;
  /** Waits for somebody outside. */
  readonly waits?: true;
  /** Its activations are turns of a conversation. */
  readonly speaks?: true;
  /** It gives on what others have said, whatever it adds to it: nobody says anything anew. */
  readonly forwards?: true;
  /** Where the node's own state is kept, so that people find it: the name of a Redis hash of the run. */
  readonly state?: NodeState;
  /** The node runs an inner graph, written as such or as a boss; the engine does it, `execute` is never called. */
  readonly container?: 'subgraph' | 'boss';
}

/** A node type. */
export interface NodeDefinition<Config = unknown> extends Definition<Config> {
  readonly traits?: NodeTraits;
  /** Paths in the configuration that may hold secrets: resolved only when the node is executed. */
  readonly secrets?: readonly string[];
  /** Fields of the configuration in whose texts `{{name}}` stands for the item of a fan-out. */
  readonly templates?: readonly string[];
  /** Tells whether it may use the files of the run; activations that do run one after the other. Absent: it never does. */
  usesWorkspace?(config: Config): boolean;
  /** Whom it can hand over to: ids of nodes, or names of those outside. */
  handoffs?(config: Config): readonly string[];
  /** `input` is everything that waits at the node, oldest first. Throws {@link NodeError} to fail. */
  execute(config: Config, input: readonly Message[], host: Host): Outcome | Promise<Outcome>;
  /** The names that it may put into `metadata.branch` of its output, where they are known from its configuration. */
  branches?(config: Config): readonly string[];
  /** The memory files of its graph that it works with, and where its configuration names them. */
  memoryFiles?(config: Config): readonly { readonly name: string; readonly path: readonly (string | number)[] }[];
  /** The output that stands for a failure when the node's `on_error` is `text`; default: the failure's message. */
  failureText?(config: Config, input: readonly Message[], failure: Failure): string;
}

/** What conditions, processors and splitters may know of the run. */
export interface RouteContext {
  readonly compat: boolean;
}

/** An edge condition type. */
export interface ConditionDefinition<Config = unknown> extends Definition<Config> {
  /** Prepares the condition once per plan. The text is that of the source's output message. */
  compile(config: Config, context: RouteContext): (text: string, message: Message) => boolean | Promise<boolean>;
}

/** What a processor makes of a message: another one, nothing at all, or a failure of the node that it comes from. */
export type ProcessorResult =
  | { readonly type: 'message'; readonly message: Message }
  | { readonly type: 'drop' }
  | { readonly type: 'failed'; readonly error: Failure };

/** An edge processor type. */
export interface ProcessorDefinition<Config = unknown> extends Definition<Config> {
  /** Whether it may use the files of the run, or run a program; nodes with such an edge run one after the other. Absent: it never does. */
  usesWorkspace?(config: Config): boolean;
  /** Prepares the processor once per plan. */
  compile(
    config: Config,
    context: RouteContext,
  ): (message: Message, host: EdgeHost) => ProcessorResult | Promise<ProcessorResult>;
}

/** A way to cut messages into the units of a fan-out. */
export interface SplitterDefinition<Config = unknown> extends Definition<Config> {
  /** The units of all dynamic inputs together, in order. */
  compile(
    config: Config,
    context: RouteContext,
  ): (messages: readonly Message[]) => readonly Message[] | Promise<readonly Message[]>;
}

/** What a provider is given with a request. */
export interface ProviderCall {
  readonly signal: AbortSignal;
  /** The new values of the tallies that the provider asked to count for this request. */
  readonly counts: Readonly<Record<string, number>>;
  /** For the address of the provider's server, which a workflow may name: reaches only what its run may reach. */
  readonly fetch: typeof globalThis.fetch;
  /** Told the headers of each answer of the provider's server, which may speak of limits. */
  readonly onHeaders?: (headers: Headers) => void;
  /** Takes the text of the reply piece by piece while it is made. Absent: nobody could hear it. */
  readonly tell?: EmitChunk;
}

/** A source of model replies. Its SDK is loaded when the first request is made. */
export interface ProviderDefinition {
  readonly type: string;
  readonly summary: string;
  /** Variables of the worker that hold the key when the author names none; the first that is set counts. */
  readonly keyVariables?: readonly string[];
  /**
   * Which counts of the run the reply depends on, given a way to read them (0 when never counted). Returns the values
   * as read; each is raised by one, durably, before `chat` is called.
   */
  tallies?(request: ChatRequest, read: (key: string) => number): Readonly<Record<string, number>>;
  /** One call, no retries. Throws a {@link NodeError}. */
  chat(request: ChatRequest, call: ProviderCall): Promise<ChatReply>;
}

/** A question to one memory store. */
export interface MemoryQuery {
  readonly text: string;
  readonly role: string;
  readonly topK: number;
  /** Absent: the most similar memories, however little that is. */
  readonly threshold?: number;
}

/** A memory as it is stored, with its vector ready for use. */
export interface StoredMemory extends Omit<MemoryItem, 'embedding'> {
  readonly space?: string;
  readonly vector?: Float32Array;
}

/** What a memory store is given to work with. */
export interface MemoryContext {
  /** The run wants the behaviour of the original engine where ours differs. */
  readonly compat: boolean;
  /** The run is answered by a script: no server is asked for embeddings. */
  readonly scripted: boolean;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970 by Redis' clock. */
  now(): number;
  /** What the store holds now, oldest first. */
  items(): Promise<readonly StoredMemory[]>;
  /** Like the web's own, but reaches only what the worker lets workflows reach. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** A text of the configuration with the secrets that it refers to. */
  resolveSecrets(text: string): string;
  /** What a server makes of texts, in their order. Throws a {@link NodeError} when it fails. */
  embed(request: EmbeddingRequest): Promise<readonly (readonly number[])[]>;
  /** Vectors that were made before for the tenant, by keys that name all that they depend on; undefined where there is none (any more). */
  cachedVectors(keys: readonly string[]): Promise<readonly (Float32Array | undefined)[]>;
  /** Keeps vectors for others of the tenant that embed the same texts. */
  cacheVectors(vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
}

/** A memory store that is one text, such as a plan or a log. */
export interface MemoryFile {
  /** The path that its author gave it, normalised. */
  readonly path: string;
  /** How it is written unless the writer says otherwise. */
  readonly mode: WriteMode;
  /** `run`: as long as its run; `call`: as long as one execution of its graph; `permanent`: for all runs. */
  readonly lifetime: 'run' | 'call' | 'permanent';
  /** A real file in the workspace is kept like it. */
  readonly mirror: boolean;
  /** Writes that are kept of one that is appended to. */
  readonly limit: number;
  /** All of it. */
  whole(access: MemoryContext): Promise<string>;
  /** As it is shown in prompts. */
  view(access: MemoryContext): Promise<string>;
}

/** A kind of memory store. */
export interface MemoryDefinition<Config = unknown> extends Definition<Config> {
  /** Paths in the configuration that may hold secrets: resolved only when the store is used. */
  readonly secrets?: readonly string[];
  /** How many memories a store keeps: the newest ones. */
  limit?(config: Config): number;
  /** Where the author wants it kept; undefined: under its graph and name. */
  place?(config: Config): string | undefined;
  /**
   * Whether working with the store may ask for embeddings. Until it has got them it only reads, as what it has begun is
   * given up and begun anew around each request.
   */
  embeds?(config: Config): boolean;
  /** The memories that fit, best first. Throws a {@link NodeError}. */
  recall(config: Config, query: MemoryQuery, access: MemoryContext): Promise<readonly Memory[]>;
  /** The store as one text; absent for kinds that are none. */
  file?(config: Config): MemoryFile;
  /** What is to be written down. Absent: the store is only read. Throws a {@link NodeError}. */
  remember?(config: Config, experience: MemoryInteraction, access: MemoryContext): Promise<readonly Memory[]>;
}

/** What a tool may know of the place where it is called. */
export interface ToolContext {
  readonly run: string;
  /** The id of the node that calls. */
  readonly node: string;
  /** The same for every attempt at this call, and for no other call: a key for services that do things once per key. */
  readonly key: string;
  /** The run wants the behaviour of the original engine where ours differs. */
  readonly compat: boolean;
  /** Aborted when the run is cancelled, the worker stops or the tool's time is up. */
  readonly signal: AbortSignal;
  readonly workspace: Workspace;
  /** How far the tool has come, in words, for those who watch; the model is told the result only. */
  readonly tell: EmitChunk;
  /** Milliseconds since 1970 by Redis' clock. */
  now(): number;
}

interface ToolFacts<Args> {
  /** False: it never touches the workspace, so agents that have nothing but such tools need not take turns at it. */
  readonly workspace?: false;
  /** The name that models call it by: letters, digits, `_` and `-`. */
  readonly name: string;
  /** Tools of one module are bound together by `<module>:All`. */
  readonly module?: string;
  /** Tells the model when and how to use it. */
  readonly description: string;
  /** Of its arguments, which are an object; what a model sends is checked against it. */
  readonly parameters: z.ZodType<Args> | JsonSchema;
}

/** A function that models may call; one with a `question` is answered by a person. */
export type ToolDefinition<Args = unknown> = ToolFacts<Args> &
  (
    | {
        /** Texts, blocks and other JSON are given to the model; an exception is told to it. */
        execute(args: Args, context: ToolContext): unknown;
      }
    | { question(args: Args): string }
  );

/** Everything a workflow can name. */
export interface Vocabulary {
  readonly nodes: ReadonlyMap<string, NodeDefinition>;
  readonly conditions: ReadonlyMap<string, ConditionDefinition>;
  readonly processors: ReadonlyMap<string, ProcessorDefinition>;
  readonly splitters: ReadonlyMap<string, SplitterDefinition>;
  readonly providers: ReadonlyMap<string, ProviderDefinition>;
  readonly memories: ReadonlyMap<string, MemoryDefinition>;
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly terminations: ReadonlyMap<string, TerminationDefinition>;
  /** Names of the functions that the installation has added; absent: none. */
  readonly extensions?: ExtensionNames;
  /** The most that one workflow may have; absent: the defaults. */
  readonly limits?: ReadLimits;
}

/** Names of functions that an installation has added to what workflows can name. */
export interface ExtensionNames {
  readonly conditions: readonly string[];
  readonly processors: readonly string[];
  readonly detects: readonly string[];
  readonly terminations: readonly string[];
  readonly tools: readonly { readonly name: string; readonly module?: string }[];
}

/** Declares a node type; the schema gives `execute` its type. */
export const defineNode = <Config>(definition: NodeDefinition<Config>): NodeDefinition<Config> => definition;
/** Declares an edge condition type. */
export const defineCondition = <Config>(definition: ConditionDefinition<Config>): ConditionDefinition<Config> =>
  definition;
/** Declares an edge processor type. */
export const defineProcessor = <Config>(definition: ProcessorDefinition<Config>): ProcessorDefinition<Config> =>
  definition;
/** Declares a splitter type. */
export const defineSplitter = <Config>(definition: SplitterDefinition<Config>): SplitterDefinition<Config> =>
  definition;
/** Declares a model provider. */
export const defineProvider = (definition: ProviderDefinition): ProviderDefinition => definition;
/** Declares a kind of memory store. */
export const defineMemory = <Config>(definition: MemoryDefinition<Config>): MemoryDefinition<Config> => definition;
/** Declares a tool; a zod schema gives the arguments their type, with a JSON Schema the type is yours to name. */
export const defineTool = <Args>(definition: ToolDefinition<Args>): ToolDefinition<Args> => definition;
