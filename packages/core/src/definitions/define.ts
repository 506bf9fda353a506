import type { z } from 'zod';
import type { Failure, Warning } from '../model/failure.ts';
import type { TerminationDelta } from '../model/messages/delta.ts';
import type { Message } from '../model/messages/message.ts';
import type { AskedModel, ModelLookup, ModelProfile, ModelTables } from '../model/profiles/model-lookup.ts';
import type { Workspace } from '../model/workspace.ts';
import type { MemoryDefinition } from './define-memory.ts';
import type { ConfigProblem, Definition } from './definition.ts';
import type {
  ChatReply,
  ChatRequest,
  EdgeHost,
  EmitChunk,
  Host,
  JsonSchema,
  McpServer,
  Program,
  ProgramRun,
  Sleep,
} from './host.ts';
import type { Outcome } from './outcome.ts';
import type { KnownTools, PolicyDefinition } from './tool-policy.ts';
import type { ReadLimits } from './workflow-limits.ts';

/** Records of a run in which nodes keep their state. */
export type NodeState = 'counters' | 'timers' | 'controllers';

/** Properties of a node type that the engine and the worker depend on. */
export interface NodeTraits {
  /** Ends loops: a cycle with such a node and an edge out of the cycle has no iteration limit. */
  readonly guard?: true;
  /** Waits for a person, or for a program in the place of one. */
  readonly waits?: true;
  /** Its activations count as turns. */
  readonly speaks?: true;
  /** It forwards messages of other nodes, so its outputs do not count as new messages. */
  readonly forwards?: true;
  /** Its outputs are messages of its input, with their data. */
  readonly passesData?: true;
  /** Kind of the records in which the node keeps its state. */
  readonly state?: NodeState;
  /**
   * The node runs an inner graph, which is written as a graph or as a boss; the engine executes it, never `execute`.
   */
  readonly container?: 'subgraph' | 'boss';
}

/** The events from outside that a node waits for, by their name, and the paths in their data that it filters by. */
export interface AwaitedEvents {
  readonly event: string;
  readonly paths: readonly string[];
}

/** Point at which a loop guard ends its loop: a number of triggers, or a time since the first one. */
export type LoopLimit = { readonly triggers: number } | { readonly ms: number };

/** A model that a node asks, with the params that its author wrote. */
export interface NodeModel extends AskedModel {
  readonly params: Readonly<Record<string, unknown>>;
  /** The node needs a call of a tool in every reply. */
  readonly decides?: true;
  /** Path in the configuration of the fields that name it. */
  readonly path: readonly (string | number)[];
  /** Its provider is that of the node, and is not written at the path. */
  readonly sharesProvider?: true;
}

/** A node type. */
export interface NodeDefinition<Config = unknown> extends Definition<Config> {
  readonly traits?: NodeTraits;
  /** Paths in the configuration that may hold secrets; these are resolved only when the node is executed. */
  readonly secrets?: readonly string[];
  /** Paths in the configuration that may name a file: what the file contains takes the place of its name. */
  readonly included?: readonly (readonly string[])[];
  /** Fields of the configuration in whose texts `{{name}}` is replaced by the item of a fan-out. */
  readonly templates?: readonly string[];
  /**
   * Returns whether the node may use the files of the run; such activations run one after the other. Absent: it never does.
   */
  usesWorkspace?(config: Config): boolean;
  /** Returns the possible targets of its handoffs: ids of nodes, or names outside of the graph. */
  handoffs?(config: Config): readonly string[];
  /**
   * Executes the node. `input` is everything that waits at the node, oldest first. Throws {@link NodeError} to fail.
   */
  execute(config: Config, input: readonly Message[], host: Host): Outcome | Promise<Outcome>;
  /** Returns the events from outside that it waits for, and the paths in their data that it filters by. */
  awaits?(config: Config): AwaitedEvents;
  /** Returns the limit of a loop guard. */
  limit?(config: Config): LoopLimit;
  /** Returns the models that the node asks: its own, and those in its place when that gives no answer. */
  models?(config: Config): readonly NodeModel[];
  /** Returns the values that `metadata.branch` of its output may have, if its configuration determines them. */
  branches?(config: Config): readonly string[];
  /** Returns the schema of the data that its outputs carry, if its configuration determines it. */
  outputData?(config: Config): JsonSchema | undefined;
  /** Returns the data of its outputs in a few words, such as `verdict, score?`, for pictures of graphs. */
  describeData?(config: Config): string | undefined;
  /** Returns what is wrong with the configuration for input whose data have this schema. */
  checkData?(config: Config, shape: JsonSchema): readonly ConfigProblem[];
  /** Returns the tools that it has; undefined if only servers know them. Absent: it has none. */
  tools?(config: Config): KnownTools | undefined;
  /** Returns the memory files of its graph that it uses, with the paths in its configuration. */
  memoryFiles?(config: Config): readonly { readonly name: string; readonly path: readonly (string | number)[] }[];
  /** Returns the output for a failure when the node's `on_error` is `text`; absent: the failure's message. */
  failureText?(config: Config, input: readonly Message[], failure: Failure): string;
}

/** Properties of the run for conditions, processors and splitters. */
export interface RouteContext {
  readonly compat: boolean;
}

/** An edge condition type. */
export interface ConditionDefinition<Config = unknown> extends Definition<Config> {
  /** Returns the condition in a few words, such as `contains "ACCEPT"`, for pictures of graphs. Absent: its type. */
  describe?(config: Config): string;
  /** Prepares the condition once per plan. The text is that of the source's output message. */
  compile(config: Config, context: RouteContext): ConditionFunction;
  /** Returns what is wrong with the configuration for data with this schema. */
  checkData?(config: Config, shape: JsonSchema): readonly ConfigProblem[];
  /** Returns the fields by which it decides, if it decides only by values of fields that have a few of them. */
  routes?(config: Config, shape: JsonSchema): readonly DataRoute[] | undefined;
}

/** A field by which a condition decides: the values that the field may have, and those that pass. All are simple values. */
export interface DataRoute {
  readonly path: string;
  readonly possible: readonly unknown[];
  readonly taken: readonly unknown[];
}

/** Returns whether a message passes. A warning is for people, and changes nothing. */
export type ConditionFunction = (
  text: string,
  message: Message,
  warn: (warning: Warning) => void,
) => boolean | Promise<boolean>;

/** Result of a processor: a message, none, or a failure of the message's source node. */
export type ProcessorResult =
  | { readonly type: 'message'; readonly message: Message }
  | { readonly type: 'drop' }
  | { readonly type: 'failed'; readonly error: Failure };

/** An edge processor type. */
export interface ProcessorDefinition<Config = unknown> extends Definition<Config> {
  /**
   * Returns whether the processor may use the files of the run or run a program; nodes with such an edge run one after the
   * other. Absent: it never does.
   */
  usesWorkspace?(config: Config): boolean;
  /** Returns what is wrong with the configuration for data with this schema. */
  checkData?(config: Config, shape: JsonSchema): readonly ConfigProblem[];
  /** Returns the schema of the data that it makes of data with this one, if it is known. */
  dataAfter?(config: Config, shape: JsonSchema): JsonSchema | undefined;
  /** Prepares the processor once per plan. */
  compile(
    config: Config,
    context: RouteContext,
  ): (message: Message, host: EdgeHost) => ProcessorResult | Promise<ProcessorResult>;
}

/** A splitter type: it splits messages into the units of a fan-out. */
export interface SplitterDefinition<Config = unknown> extends Definition<Config> {
  /** Returns what is wrong with the configuration for data with this schema. */
  checkData?(config: Config, shape: JsonSchema): readonly ConfigProblem[];
  /** Returns the schema of the data of a unit of data with this one, if it is known. */
  dataAfter?(config: Config, shape: JsonSchema): JsonSchema | undefined;
  /**
   * Prepares the splitter once per plan. It returns the units of all dynamic inputs together, in order, and may make them when
   * they are taken: other work has its turn in between. A fan-out refuses more than `maxItems` units, so it may stop after one more.
   */
  compile(
    config: Config,
    context: RouteContext,
  ): (messages: readonly Message[], maxItems: number) => Iterable<Message> | Promise<Iterable<Message>>;
}

/** Context of one call of a provider. */
export interface ProviderCall {
  readonly signal: AbortSignal;
  /** The new values of the tallies that the provider asked to count for this request. */
  readonly counts: Readonly<Record<string, number>>;
  /** Facts about the model, which decide on what is sent beside what the author wrote. */
  readonly profile: ModelProfile;
  /** Values that the engine needs where the author wrote none: a limit of the answer, and a service tier. */
  readonly engine?: { readonly maxTokens?: number; readonly tier?: string } | undefined;
  /** Name of the cache that requests of this node share, for providers that look for prompts by it; absent: none. */
  readonly cacheKey?: string | undefined;
  /**
   * `fetch` for the provider's server, whose address may come from the workflow: reaches only what the run may reach.
   */
  readonly fetch: typeof globalThis.fetch;
  /** Called with the headers of each response of the provider's server, which may contain rate limits. */
  readonly onHeaders?: (headers: Headers) => void;
  /** Called with each part of the reply while it is generated. Absent: it cannot be followed. */
  readonly emit?: EmitChunk;
  /** Waits by the clock of the worker. */
  readonly sleep: Sleep;
}

/** A provider of model replies. Its SDK is loaded with the first request. */
export interface ProviderDefinition {
  readonly type: string;
  readonly summary: string;
  /** Variables of the worker that hold the key if the author names none; the first that is set is used. */
  readonly keyVariables?: readonly string[];
  /** Variable of the worker that holds the address of the server if the author names none. */
  readonly addressVariable?: string;
  /**
   * Returns the tallies that the reply depends on, with their values as read (0 if never raised). Each is raised by
   * one, durably, before `chat` is called.
   */
  tallies?(request: ChatRequest, read: (key: string) => number): Readonly<Record<string, number>>;
  /** Makes one call, without retries. Throws a {@link NodeError}. */
  chat(request: ChatRequest, call: ProviderCall): Promise<ChatReply>;
}

/** Context of a call of a tool. */
export interface ToolContext {
  readonly run: string;
  /** The id of the node that calls. */
  readonly node: string;
  /**
   * Idempotency key: the same for every attempt of this call, and for no other call, also after a backup was restored.
   */
  readonly key: string;
  /** The run needs the behaviour of the original engine where ours differs. */
  readonly compat: boolean;
  /** Aborted when the run is cancelled, the worker stops or the tool's time limit is over. */
  readonly signal: AbortSignal;
  /** `fetch` for addresses that a model or a workflow names: it reaches only what the run may reach. */
  readonly fetch: typeof globalThis.fetch;
  /** Reports progress to those who follow the run; the model receives the result only. */
  readonly emit: EmitChunk;
  /** Milliseconds since 1970 by Redis' clock. */
  now(): number;
  /** Waits by the clock of the worker. */
  readonly sleep: Sleep;
}

/** Context of a call of a tool that uses the files of the run. */
export interface WorkspaceToolContext extends ToolContext {
  readonly workspace: Workspace;
}

/**
 * Effect of a call of a tool: `read` changes nothing; `idempotent` may be repeated with the same key; `once` must not be made
 * twice.
 */
export type ToolEffect = 'read' | 'idempotent' | 'once';

interface ToolProperties<Args> {
  /** Effect of a call; absent: `idempotent`. */
  readonly effect?: ToolEffect;
  /** What the tool needs that this installation lacks; it fails when it is called. */
  readonly unavailable?: string | undefined;
  /** Name by which models call it: letters, digits, `_` and `-`. */
  readonly name: string;
  /** Module of the tool; `<module>:All` binds all tools of a module. */
  readonly module?: string;
  /** Tells the model when and how to use the tool. */
  readonly description: string;
  /** Schema of the arguments, which are an object; arguments of a model are checked against it. */
  readonly parameters: z.ZodType<Args> | JsonSchema;
}

/** Tool of an MCP server that is called in the place of a function. */
export interface ServedTool {
  readonly server: McpServer;
  /** Name of the tool at the server. */
  readonly tool: string;
  /** Returns its arguments for a call with these; absent: the same. */
  argumentsOf?(args: JsonSchema): JsonSchema;
}

/**
 * A tool that models may call; one with a `question` is answered by a person, one with `served` by an MCP server, and one with a
 * `program` by what a program prints. One with `workspace: true` uses the files of the run: agents that have such a tool run one
 * after the other, and the files are brought to the worker at its first call.
 */
export type ToolDefinition<Args = unknown> = ToolProperties<Args> &
  (
    | {
        readonly workspace?: never;
        /** Returns texts, blocks or other JSON for the model; the model also receives the message of an exception. */
        execute(args: Args, context: ToolContext): unknown;
      }
    | { readonly workspace: true; execute(args: Args, context: WorkspaceToolContext): unknown }
    | { readonly workspace?: never; question(args: Args): string }
    | { readonly workspace?: never; readonly served: ServedTool }
    /** `answer` returns texts for the model, and throws an Error for it. */
    | { readonly workspace: true; program(args: Args): Program; answer(ran: ProgramRun): string }
  );

/** All definitions that a workflow can name. */
export interface Vocabulary {
  readonly nodes: ReadonlyMap<string, NodeDefinition>;
  readonly conditions: ReadonlyMap<string, ConditionDefinition>;
  readonly processors: ReadonlyMap<string, ProcessorDefinition>;
  readonly splitters: ReadonlyMap<string, SplitterDefinition>;
  readonly providers: ReadonlyMap<string, ProviderDefinition>;
  readonly memories: ReadonlyMap<string, MemoryDefinition>;
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly terminations: ReadonlyMap<string, TerminationDefinition>;
  /** Form of policies for calls of tools; absent: workflows have none. */
  readonly toolPolicy?: PolicyDefinition;
  /** Returns what is known of models. */
  models(): ModelLookup;
  /** Tables behind `models`, of which one is updated; absent: they stay as they are. */
  readonly modelTables?: ModelTables;
  /** Names of the functions that the installation has added; absent: none. */
  readonly extensions?: ExtensionNames;
  /** Limits of one workflow; absent: the defaults. */
  readonly limits?: ReadLimits;
}

/** Names of functions that the extensions of an installation add. */
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
/** Declares a tool; a zod schema determines the type of the arguments, with a JSON Schema the caller names it. */
export const defineTool = <Args>(definition: ToolDefinition<Args>): ToolDefinition<Args> => definition;

/** Input of one step of a termination condition: an observation of a delta, a signal from outside, or only time. */
export interface ConditionInput<Observed> {
  /** The result of `observe` or `onSignal`. */
  readonly observed?: Observed;
  /** Milliseconds since the scope's segment began, and how many of them the run was paused. */
  readonly elapsedMs: number;
  readonly pausedMs: number;
}

/** Result of one step. `moved`: the condition's state has changed since the observation, which must be repeated. */
export type ConditionStepResult<State> =
  | { readonly type: 'moved' }
  | { readonly type: 'failed'; readonly error: Failure }
  | { readonly type: 'stepped'; readonly state?: State /** Reason why it is satisfied. */; readonly reason?: string };

/** The messages that a condition observes, for checks. */
export interface ConditionMessageFilter {
  readonly sources?: readonly string[] | undefined;
  readonly nested: boolean;
  /** The task alone could satisfy it, and the author has not said if the task counts. */
  readonly task: boolean;
}

/** A termination condition: a leaf of the tree that decides when a scope stops. All functions are pure. */
export interface TerminationDefinition<Config = unknown, Observed = unknown, State = unknown>
  extends Definition<Config> {
  /**
   * Returns the observation of a delta, as JSON; undefined for none. Runs in the worker, which has the texts, before
   * the commit.
   */
  observe?(
    config: Config,
    delta: TerminationDelta,
    seen: { readonly state: unknown; readonly signal: AbortSignal },
  ): unknown;
  /** Returns the observation of a signal from outside; undefined if the condition does not wait for it. */
  onSignal?(config: Config, signal: { readonly name: string; readonly note?: string }): Observed | undefined;
  /** Steps the condition, in the order of the commits. `state` is undefined when the segment begins. */
  step(config: Config, state: State | undefined, moment: ConditionInput<Observed>): ConditionStepResult<State>;
  /** Returns the time after which the condition is satisfied, in milliseconds; `countsPaused`: pauses count. */
  due?(config: Config): { readonly afterMs: number; readonly countsPaused: boolean };
  messageFilter?(config: Config): ConditionMessageFilter;
}

/** Declares a termination condition. */
export const defineTermination = <Config, Observed, State>(
  definition: TerminationDefinition<Config, Observed, State>,
): TerminationDefinition<Config, Observed, State> => definition;
