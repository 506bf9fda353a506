import { z } from 'zod';

/** What a model is told of a tool, as the protocol has it. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown };
}

/** A schema as the protocol wants it. */
export const schemaOf = (input: z.ZodObject): OfferedTool['inputSchema'] => ({
  ...z.toJSONSchema(input, { io: 'input' }),
  type: 'object',
});
