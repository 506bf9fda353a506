import { defineMemory } from '@millrace/core';
import { z } from 'zod';
import { SharedStore, sharedStoreOf } from './shared-store.ts';
import { storedOutput } from './stored-output.ts';

const BlackboardConfig = z.object({
  memory_path: SharedStore,
  max_items: z
    .int({ error: 'Write a whole number, such as `max_items: 100`.' })
    .min(1, { error: 'Write a number of at least 1.' })
    .default(1000)
    .describe('Maximum number of entries; the oldest are removed.'),
});

/** A list that all attached nodes append to, and whose newest entries they read. */
export const blackboard = defineMemory({
  type: 'blackboard',
  summary: 'A list of outputs; the newest are read, whatever the query is.',
  config: BlackboardConfig,
  limit: ({ max_items: limit }) => limit,
  sharedStore: ({ memory_path: path }) => sharedStoreOf(path),
  async recall(_config, { topK }, context) {
    return (await context.items()).slice(-topK);
  },
  async remember(_config, experience, context) {
    const text = storedOutput(experience, context).trim() || experience.input.trim();
    return text === '' ? [] : [{ text, at: context.now(), metadata: { role: experience.role } }];
  },
});
