import type { Message } from '@millrace/core';
import { dataOf, defineProcessor, valueAt } from '@millrace/core';
import { z } from 'zod';

const Path = z
  .string({ error: 'Write a path such as `path: command_args.query`.' })
  .regex(/^[^.]+(\.[^.]+)*$/, { error: 'Write names joined by dots, such as `command_args.query`.' });

/** Configuration of a `pick` processor. */
export const PickConfig = z.object({
  path: Path.describe('Where in the structured data the part is: names joined by dots.'),
  as: z
    .enum(['text', 'data'], { error: 'Write `text` or `data`.' })
    .default('data')
    .describe('Whether the part becomes the text of the message or its structured data.'),
  text_path: Path.nullish().describe('With data: what stands for it as text; its JSON when left out.'),
});

/** Replaces a message by a part of its structured data. A message without that part fails the node it comes from. */
export const pick = defineProcessor({
  type: 'pick',
  summary: 'Takes a part out of structured data.',
  config: PickConfig,
  compile:
    ({ path, as, text_path: textPath }) =>
    (message) => {
      const data = dataOf(message);
      const part = valueAt(data, path);
      if (part === undefined) {
        const text = `The message of "${message.source}" has nothing at "${path}" to pick.`;
        return { type: 'failed', error: { code: 'E_PICK_MISSING', message: text } };
      }
      const text = spelled((textPath ? valueAt(data, textPath) : undefined) ?? part);
      const isData = as === 'data' && typeof part === 'object' && part !== null && !Array.isArray(part);
      const content: Message['content'] = isData ? [{ type: 'data', data: { ...part }, text }] : text;
      return { type: 'message', message: { ...message, content } };
    },
});

const spelled = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
