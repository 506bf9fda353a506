import type {
  Host,
  McpServer,
  Message,
  ModelTool,
  Program,
  ProgramRun,
  StepAction,
  ToolAnswer,
  ToolEffect,
  UnknownRule,
  Workspace,
} from '@millrace/core';
import type { PolicyDecision } from './tool-policy.ts';

/** Arguments of a call, parsed from the model's JSON. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** A tool of an agent, with the name under which the model calls it. */
export interface BoundTool {
  readonly spec: ModelTool;
  /** The tool's own name, without the prefix of its entry. */
  readonly name: string;
  /** Origin of the tool; skills cannot forbid tools of skills and handoffs. */
  readonly origin: 'tooling' | 'skills' | 'ending';
  readonly work: ToolExecution;
  /** The MCP server that has the tool, for people; absent: a function of the installation. */
  readonly server?: string;
  /** What policies decide about its calls; absent: they are made. */
  readonly guard?: ToolGuard;
}

/** The policies of a tool. */
export interface ToolGuard {
  decide(args: ToolArguments): Promise<PolicyDecision>;
}

/** Execution of a call: an action with a time limit, or a question to a person. */
export type ToolExecution =
  | {
      readonly type: 'action';
      readonly timeoutSeconds: number;
      /** Each call gets the workspace. */
      readonly usesWorkspace?: boolean;
      readonly effect: ToolEffect;
      /** What decides when the outcome of a call is unknown; absent: the model is told. */
      readonly onUnknown?: UnknownOutcome;
      /** Executes the tool. Throws to report an error to the model. */
      run(args: ToolArguments, call: ToolCallAttempt): Promise<ToolAnswer>;
    }
  | { readonly type: 'question'; text(args: ToolArguments): string }
  /** A program runs in the sandbox, in a step of its own. */
  | { readonly type: 'program'; program(args: ToolArguments): Program; answer(ran: ProgramRun): ToolAnswer }
  /** The tool ends the conversation: `message` returns the agent's output, from the model's message beside the call. */
  | { readonly type: 'end'; readonly answer: string; message(message: Message, args: ToolArguments): Message };

/** What decides about a call whose outcome is unknown. */
export type UnknownOutcome =
  | { readonly rule: Exclude<UnknownRule, 'verify'> }
  | {
      readonly rule: 'verify';
      /** Tool that reads if the call took effect, and its arguments for a call with these. */
      readonly tool: BoundTool;
      argumentsOf(args: ToolArguments): ToolArguments;
    };

/** One attempt at one call. */
export interface ToolCallAttempt extends Pick<StepAction, 'signal' | 'emit' | 'sleep'> {
  /** Idempotency key: the same for every attempt of the call. */
  readonly key: string;
  readonly workspace?: Workspace | undefined;
}

/** Default time limit of a call, in seconds. */
export const defaultTimeoutSeconds = 600;

/** Returns the name under which models call a tool of an entry with this prefix. */
export const exposedName = (name: string, prefix: string | null | undefined): string =>
  prefix ? `${prefix}_${name}` : name;

/** Name of the idempotency key of a call beside its arguments, for MCP servers, if the author gives none. */
export const idempotencyMeta = 'dev.millrace/idempotencyKey';

/** Returns the effect of a tool of an MCP server of which nothing is known; the original engine repeats calls. */
export const serverEffect = ({ compat }: Pick<Host, 'compat'>): ToolEffect => (compat ? 'idempotent' : 'once');

/** Returns the name of an MCP server for people: its address without what may be secret, or its command. */
export const serverName = (server: McpServer): string =>
  server.type === 'remote'
    ? server.url.replace(/[?#].*$/, '').replace(/\/\/[^/]*@/, '//')
    : [server.command, ...server.args].join(' ');
