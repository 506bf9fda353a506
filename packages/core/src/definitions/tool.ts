import type { Block } from '../model/messages/message.ts';

/** A JSON Schema as plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as described to a model. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, which are an object. */
  readonly parameters: JsonSchema;
}

/** The answer of a tool to the model. */
export interface ToolAnswer {
  readonly content: string | readonly Block[];
  /** The tool reports that it failed. */
  readonly failed?: true;
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
  tools(): Promise<readonly ModelTool[]>;
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    enclosing: { readonly signal: AbortSignal; readonly tell: EmitChunk },
  ): Promise<ToolAnswer>;
}

/** Publishes a part of a text to those who follow a run, while a step is under way; it is not stored. */
export type EmitChunk = (piece: string) => void;
