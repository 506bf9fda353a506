import { z } from 'zod';

/** Description of a tool in the form of the protocol. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown };
}

/** Returns a schema in the form of the protocol. */
export const schemaOf = (input: z.ZodObject): OfferedTool['inputSchema'] => ({
  ...z.toJSONSchema(input, { io: 'input' }),
  type: 'object',
});
