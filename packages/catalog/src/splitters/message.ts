import { defineSplitter } from '@millrace/core';
import { z } from 'zod';

/** Every message is a unit. */
export const message = defineSplitter({
  type: 'message',
  summary: 'One unit per message.',
  config: z.object({}),
  compile: () => (messages) => messages,
});
