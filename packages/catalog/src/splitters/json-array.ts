import type { Message } from '@millrace/core';
import { defineSplitter, NodeError, textOf } from '@millrace/core';
import { z } from 'zod';
import { splitMessages } from './split-in-child.ts';

/** Splitter whose units are the items of the JSON array in a message; models rarely answer with only the array. */
export const jsonArray = defineSplitter({
  type: 'json_array',
  summary: 'One unit for each item of the JSON array in the text.',
  config: z.object({}),
  compile: () => (messages, maxItems) => splitMessages({ by: 'json_array' }, messages, maxItems, refuse),
});

function refuse(message: Message): never {
  const text = textOf(message);
  const start = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  throw new NodeError('SPLIT_NOT_AN_ARRAY', `There is no JSON array to split in the text: ${start}`);
}
