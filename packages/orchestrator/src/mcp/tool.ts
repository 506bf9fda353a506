import type { Scope } from '@millrace/core';
import { z } from 'zod';

/** What a model is told of a tool, as the protocol has it. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown };
}

/** One tool that is always there. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly scope: Scope;
  readonly input: Input;
  /** What it comes to, as JSON. Throws RequestError. */
  call(input: z.infer<Input>, signal: AbortSignal): Promise<Record<string, unknown>>;
}

/** Makes a tool whose input is checked by its schema. */
export const defineTool = <Input extends z.ZodObject>(tool: Tool<Input>): Tool => tool as unknown as Tool; // `call` is given what `input` has parsed

/** A schema as the protocol wants it. */
export const schemaOf = (input: z.ZodObject): OfferedTool['inputSchema'] => ({
  ...z.toJSONSchema(input, { io: 'input' }),
  type: 'object',
});

/** How long a call waits for its run, in seconds. */
export const WaitSeconds = z
  .number()
  .min(0)
  .max(50)
  .default(20)
  .describe('How long to wait for the run to end or to ask somebody, before its handle is returned.');
