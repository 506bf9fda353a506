import { completed, defineNode, mergeVariables, singleLine, textMessage, withVariables } from '@millrace/core';
import { z } from 'zod';

/** Configuration of a `memory_read` node. */
export const MemoryReadConfig = z.object({
  stores: z
    .union([z.literal('all'), z.array(z.string().regex(singleLine))], {
      error: 'Write `all`, or a list of names under graph.memory.',
    })
    .default('all')
    .describe('Names of the memory files under graph.memory, or all.'),
});

/** Node type that forwards its input with the texts of memory files as variables: `{{plan}}` or `{{memory.plan}}`. */
export const memoryRead = defineNode({
  type: 'memory_read',
  summary: 'Forwards its input with the texts of memory files.',
  config: MemoryReadConfig,
  traits: { forwards: true },
  memoryFiles: ({ stores }) => (stores === 'all' ? [] : stores.map((name, at) => ({ name, path: ['stores', at] }))),
  async execute({ stores }, input, host) {
    const read = await host.memoryFiles.read(stores);
    const last = input.at(-1) ?? textMessage('user', '', host.node);
    const variables = mergeVariables(input);
    const { memory } = variables;
    const before = typeof memory === 'object' && memory !== null ? memory : {};
    return completed([withVariables(last, { ...variables, memory: { ...before, ...read } })]);
  },
});
