import { z } from 'zod';

/** An operation as a tool of the Model Context Protocol, with its description for models. */
export interface Tool<Body = unknown> {
  readonly name: string;
  readonly description: string;
  /** Schema of the arguments. */
  readonly input: z.ZodObject;
  /** Returns the input of the operation from arguments that `input` has parsed. */
  request(given: unknown): Record<string, unknown>;
  /** Returns the response in the form in which a model receives it. */
  result(body: Body): Record<string, unknown>;
}

/** Defines a tool whose request derives from its parsed arguments. */
export const tool = <Input extends z.ZodObject, Body>(
  definition: Omit<Tool<Body>, 'input' | 'request'> & {
    readonly input: Input;
    request(given: z.output<Input>): Record<string, unknown>;
  },
): Tool<Body> => definition as Tool<Body>; // `request` is only given what `input` has parsed

/** Time that a call of a tool waits for its run, in seconds. */
export const WaitSeconds = z
  .number()
  .min(0)
  .max(50)
  .default(20)
  .describe('Time to wait for the run to end or to ask a question, before its handle is returned.');
