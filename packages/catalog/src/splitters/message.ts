import { defineSplitter } from '@millrace/core';
import { z } from 'zod';

/** Splitter whose units are the messages. */
export const message = defineSplitter({
  type: 'message',
  summary: 'One unit for each message.',
  config: z.object({}),
  dataAfter: (_config, shape) => shape,
  compile: () => (messages) => messages,
});
