import { defineSplitter } from '@millrace/core';
import { z } from 'zod';
import { splitMessages } from './split-in-child.ts';

/** Splitter whose units are the lines that are not blank. */
export const lines = defineSplitter({
  type: 'lines',
  summary: 'One unit for each line that is not blank.',
  config: z.object({}),
  compile: () => (messages, maxItems) => splitMessages({ by: 'lines' }, messages, maxItems, (message) => message),
});
