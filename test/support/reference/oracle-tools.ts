import type { ToolDefinition } from '@millrace/core';
import { defineTool } from '@millrace/core';

/*
 * The tools that the recorded cases call: `createVocabulary({ tools: oracleTools })`. Their parameters are the JSON
 * Schemas that the recorded engine derived, except that `tags` is declared as a list of texts, which it accepts.
 */

const noParameters = { type: 'object', properties: {} } as const;

/** Pure tools whose results never change. */
export const oracleTools: readonly ToolDefinition[] = [
  defineTool<{ a: number; b: number }>({
    name: 'add',
    description: 'Add two integers.',
    parameters: {
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'integer' } },
      required: ['a', 'b'],
    },
    execute: ({ a, b }) => a + b,
  }),
  defineTool<{ reason: string }>({
    name: 'boom',
    description: 'Always raises ValueError(reason).',
    parameters: { type: 'object', properties: { reason: { type: 'string', default: 'kaput' } } },
    execute({ reason }) {
      throw new Error(reason);
    },
  }),
  defineTool<{ name: string; tags: string[] | null }>({
    name: 'make_record',
    description: 'Return a dict with name, tags and a non-ASCII value.',
    parameters: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        tags: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }], default: null },
      },
      required: ['name'],
    },
    execute: ({ name, tags }) => ({ name, tags: tags ?? [], price: '10€', ok: true, nothing: null }),
  }),
  defineTool({
    name: 'give_list',
    description: 'Return a list of plain values.',
    parameters: noParameters,
    execute: () => ['x', 1, null],
  }),
  defineTool({ name: 'give_none', description: 'Return None.', parameters: noParameters, execute: () => null }),
  defineTool({
    name: 'which_node',
    description: "Return the id of the calling node taken from the engine's tool context.",
    parameters: noParameters,
    execute: (_args, { node }) => node,
  }),
];
