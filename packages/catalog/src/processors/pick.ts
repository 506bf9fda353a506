import type { Message } from '@millrace/core';
import { dataOf, defineProcessor, valueAt } from '@millrace/core';
import { z } from 'zod';
import { partShape, pathProblems } from '../schema/data-shape.ts';

const Path = z
  .string({ error: 'Write a path such as `path: command_args.query`.' })
  .regex(/^[^.]+(\.[^.]+)*$/, { error: 'Write names joined by dots, such as `command_args.query`.' });

/** Configuration of a `pick` processor. */
export const PickConfig = z.object({
  path: Path.describe('Path of the part in the structured data: names joined by dots.'),
  as: z
    .enum(['text', 'data'], { error: 'Write `text` or `data`.' })
    .default('data')
    .describe('Makes the part the text of the message, or its structured data.'),
  text_path: Path.nullish().describe('With data: path of the text; the JSON of the part if omitted.'),
});

/**
 * Processor that replaces a message by a part of its structured data. A message without that part fails its source
 * node.
 */
export const pick = defineProcessor({
  type: 'pick',
  summary: 'Extracts a part of structured data.',
  config: PickConfig,
  checkData: ({ path, text_path: textPath }, shape) => [
    ...pathProblems(shape, path, ['path']),
    ...(textPath ? pathProblems(shape, textPath, ['text_path']) : []),
  ],
  dataAfter: ({ path, as }, shape) => (as === 'data' ? partShape(shape, path) : undefined),
  compile:
    ({ path, as, text_path: textPath }) =>
    (message) => {
      const data = dataOf(message);
      const part = valueAt(data, path);
      if (part === undefined) {
        const text = `The structured data of the message from "${message.source}" has nothing at "${path}".`;
        return { type: 'failed', error: { code: 'E_PICK_MISSING', message: text } };
      }
      const text = asText((textPath ? valueAt(data, textPath) : undefined) ?? part);
      const isData = as === 'data' && typeof part === 'object' && part !== null && !Array.isArray(part);
      const content: Message['content'] = isData ? [{ type: 'data', data: { ...part }, text }] : text;
      return { type: 'message', message: { ...message, content } };
    },
});

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
