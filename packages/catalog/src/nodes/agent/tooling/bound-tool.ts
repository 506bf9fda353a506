import type { EmitChunk, Message, ModelTool, ToolAnswer } from '@millrace/core';

/** Arguments of a call as the model wrote them, read as JSON. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** A tool that an agent has, under the name that the model knows it by. */
export interface BoundTool {
  readonly spec: ModelTool;
  /** The tool's own name, without the prefix of its entry. */
  readonly name: string;
  /** Skills come with tools of their own, and so do handoffs; no skill can forbid these. */
  readonly origin: 'tooling' | 'skills' | 'ending';
  readonly work: ToolExecution;
}

/** How a call is answered: by doing something within a time, or by a person. */
export type ToolExecution =
  | {
      readonly type: 'action';
      readonly timeoutSeconds: number;
      /** Throws to tell the model what went wrong. */
      run(args: ToolArguments, call: ToolCallAttempt): Promise<ToolAnswer>;
    }
  | { readonly type: 'question'; text(args: ToolArguments): string }
  /** It ends the conversation: this is what the agent says, after what the model has said beside the call. */
  | { readonly type: 'end'; readonly answer: string; message(said: Message, args: ToolArguments): Message };

/** One attempt at one call. */
export interface ToolCallAttempt {
  /** The same for every attempt at the call. */
  readonly key: string;
  readonly signal: AbortSignal;
  readonly tell: EmitChunk;
}

/** A call may take this long unless the author says otherwise. */
export const defaultTimeoutSeconds = 600;

/** The name that models know a tool by whose entry has this prefix. */
export const exposedName = (name: string, prefix: string | null | undefined): string =>
  prefix ? `${prefix}_${name}` : name;
