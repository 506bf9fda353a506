import type { Block } from '../model/message.ts';

/** A JSON Schema as plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool as a model is told of it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments, which are an object. */
  readonly parameters: JsonSchema;
}

/** What a tool gives back to the model. */
export interface ToolAnswer {
  readonly content: string | readonly Block[];
  /** The tool says itself that it failed. */
  readonly failed?: true;
}

/** Where a server with tools is: at a URL, or started as a command. Headers and variables may name secrets as `${NAME}`. */
export type McpServer =
  | {
      readonly type: 'remote';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** For one request. */
      readonly timeoutSeconds: number;
    }
  | {
      readonly type: 'local';
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd?: string;
      readonly env: Readonly<Record<string, string>>;
      /** Whether the command also gets the environment of the worker. */
      readonly inheritEnv: boolean;
      readonly startupTimeoutSeconds: number;
    };

/** A server that speaks the Model Context Protocol. It is reached at the first use and left when the activation ends. */
export interface McpConnection {
  tools(): Promise<readonly ModelTool[]>;
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    enclosing: { readonly signal: AbortSignal; readonly tell: EmitChunk },
  ): Promise<ToolAnswer>;
}

/** Says something to those who watch, piece by piece while a step is at work; nothing of it is kept. */
export type EmitChunk = (piece: string) => void;
