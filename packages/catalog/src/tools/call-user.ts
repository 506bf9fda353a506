import { defineTool } from '@millrace/core';
import { z } from 'zod';

/** Tool with which a model asks a person. The agent occupies no worker while it waits for the answer. */
export const callUser = defineTool<{ instruction: string }>({
  name: 'call_user',
  module: 'user',
  description: 'Ask the user a question or for a decision, and get the answer as text.',
  parameters: z.object({ instruction: z.string().describe('What the user is asked to do or to answer.') }),
  question: ({ instruction }) => instruction,
});
