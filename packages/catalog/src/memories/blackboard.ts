import { defineMemory } from '@millrace/core';
import { z } from 'zod';
import { Place, placeOf } from './shared-place.ts';
import { keptOutput } from './stored-output.ts';

const BlackboardConfig = z.object({
  memory_path: Place,
  max_items: z
    .int({ error: 'Write a whole number, such as `max_items: 100`.' })
    .min(1, { error: 'Write a number of at least 1.' })
    .default(1000)
    .describe('Entries beyond this number drop out, oldest first.'),
});

/** A list that everybody attached appends to, and of which everybody sees the end. */
export const blackboard = defineMemory({
  type: 'blackboard',
  summary: 'A list of outputs; the newest are read, whatever they are about.',
  config: BlackboardConfig,
  limit: ({ max_items: limit }) => limit,
  place: ({ memory_path: path }) => placeOf(path),
  async recall(_config, { topK }, access) {
    return (await access.items()).slice(-topK);
  },
  async remember(_config, experience, access) {
    const text = keptOutput(experience, access).trim() || experience.input.trim();
    return text === '' ? [] : [{ text, at: access.now(), metadata: { role: experience.role } }];
  },
});
