import type { z } from 'zod';
import type { ChatReply, ChatRequest, Host } from './model/host.ts';
import type { Message } from './model/message.ts';
import type { Failure, Outcome } from './model/outcome.ts';

/** What a definition finds wrong with a configuration that its schema alone cannot see. */
export interface ConfigProblem {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** Below the configuration, e.g. `['any', 0]`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string;
}

interface Definition<Config> {
  /** The word authors write, e.g. `loop_counter`. */
  readonly type: string;
  /** One sentence for the reference page. */
  readonly summary: string;
  /** Reads and validates the configuration as authors write it. Every field carries a description. */
  readonly config: z.ZodType<Config>;
  /** Other spellings of the type that mean the same. */
  readonly aliases?: readonly string[];
  check?(config: Config): readonly ConfigProblem[];
}

/** Mutable facts about how a definition takes part in a run. */
export interface NodeTraits {
  /** Ends loops: a cycle with such a node and an edge out of it is not cut by the iteration cap. */
  readonly guard?: true;
  /** Waits for somebody outside. */
  readonly waits?: true;
  /** Where the node's own state is kept, so that people find it: the name of a Redis hash of the run. */
  readonly state?: 'counters' | 'timers';
  /** The node runs an inner graph; the engine does it, `execute` is never called. */
  readonly container?: 'subgraph';
}

/** A node type. */
export interface NodeDefinition<Config = unknown> extends Definition<Config> {
  readonly traits?: NodeTraits;
  /** Paths in the configuration that may hold secrets: resolved only when the node is executed. */
  readonly secrets?: readonly string[];
  /** Fields of the configuration in whose texts `{{name}}` stands for the item of a fan-out. */
  readonly templates?: readonly string[];
  /** `input` is everything that waits at the node, oldest first. Throws {@link NodeError} to fail. */
  execute(config: Config, input: readonly Message[], host: Host): Outcome | Promise<Outcome>;
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
  compile(config: Config, context: RouteContext): (text: string) => boolean | Promise<boolean>;
}

/** What a processor makes of a message: another one, or nothing at all. */
export type Processed = { readonly type: 'message'; readonly message: Message } | { readonly type: 'drop' };

/** An edge processor type. */
export interface ProcessorDefinition<Config = unknown> extends Definition<Config> {
  compile(config: Config, context: RouteContext): (message: Message) => Processed | Promise<Processed>;
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
}

/** A source of model replies. Its SDK is loaded when the first request is made. */
export interface ProviderDefinition {
  readonly type: string;
  readonly summary: string;
  /**
   * Which counts of the run the reply depends on, given a way to read them (0 when never counted). Returns the values
   * as read; each is raised by one, durably, before `chat` is called.
   */
  tallies?(request: ChatRequest, read: (key: string) => number): Readonly<Record<string, number>>;
  /** One call, no retries. Throws a {@link NodeError}. */
  chat(request: ChatRequest, call: ProviderCall): Promise<ChatReply>;
}

/** Everything a workflow can name. */
export interface Vocabulary {
  readonly nodes: ReadonlyMap<string, NodeDefinition>;
  readonly conditions: ReadonlyMap<string, ConditionDefinition>;
  readonly processors: ReadonlyMap<string, ProcessorDefinition>;
  readonly splitters: ReadonlyMap<string, SplitterDefinition>;
  readonly providers: ReadonlyMap<string, ProviderDefinition>;
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
