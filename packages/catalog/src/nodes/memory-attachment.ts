import { z } from 'zod';

const stages = ['pre_gen_thinking', 'gen', 'post_gen_thinking', 'post_gen', 'finished'] as const;
const stage = z.enum(stages, {
  error: 'Write `pre_gen_thinking`, `gen`, `post_gen_thinking` or `finished`, or a list of them.',
});

/** How a node uses one of the graph's memory stores: an entry of `memories`. */
export const MemoryAttachment = z.object({
  name: z
    .string({ error: 'Write the name of a store under graph.memory, such as `name: notes`.' })
    .trim()
    .min(1, { error: 'Write the name of a store under graph.memory.' })
    .describe('The store, by its name under graph.memory.'),
  retrieve_stage: z
    .union([stage, z.array(stage)], {
      error: 'Write `pre_gen_thinking`, `gen`, `post_gen_thinking` or `finished`, or a list of them.',
    })
    .nullish()
    .describe(
      'When the memory is read: pre_gen_thinking, gen (the default), post_gen_thinking (or post_gen), finished.',
    ),
  top_k: z
    .int({ error: 'Write a whole number, such as `top_k: 5`.' })
    .min(1, { error: 'Write a number of at least 1.' })
    .optional()
    .describe('At most this many items are read; 10 when left out.'),
  similarity_threshold: z
    .number({ error: 'Write a number between 0 and 1.' })
    .optional()
    .describe('Only items at least this similar are read; 0.5 when left out, 0 or less for no filter.'),
  read: z
    .boolean({ error: 'Write `true` or `false`.' })
    .optional()
    .describe('Whether the node reads the store. When neither read nor write is written, both are true.'),
  write: z
    .boolean({ error: 'Write `true` or `false`.' })
    .optional()
    .describe('Whether the node writes what it produced to the store.'),
});

/** The stores a node is attached to; null means none. */
export const Memories = z
  .array(MemoryAttachment, { error: 'Write a list of stores, such as `- name: notes`.' })
  .nullish()
  .describe('Memory stores that the node reads or writes.');
