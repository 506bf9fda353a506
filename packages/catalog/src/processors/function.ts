import type { Message, ProcessorDefinition, ProcessorResult } from '@millrace/core';
import { defineProcessor, singleLine, textOf } from '@millrace/core';
import { z } from 'zod';
import { callFunction, unknownFunction } from '../functions/call-function.ts';
import type { ProcessorFunction, ProcessorFunctionResult } from '../functions/processor-functions.ts';
import { uppercasePayload } from '../functions/processor-functions.ts';

/** Configuration of a `function` processor. */
export const FunctionProcessorConfig = z.object({
  name: z
    .string({ error: 'Write the name of a function.' })
    .min(1, { error: 'Write the name of a function.' })
    .regex(singleLine)
    .describe('Name of a built-in or registered function of the message.'),
});

/** Returns the processor that lets one of these functions rewrite the message. */
export function functionProcessor(
  functions: ReadonlyMap<string, ProcessorFunction>,
): ProcessorDefinition<z.infer<typeof FunctionProcessorConfig>> {
  return defineProcessor({
    type: 'function',
    summary: 'Lets a named function rewrite the message.',
    config: FunctionProcessorConfig,
    check: ({ name }) => unknownFunction(name, functions),
    // A function of an extension may do everything that a host can.
    usesWorkspace: ({ name }) => functions.has(name) && functions.get(name) !== uppercasePayload,
    compile({ name }) {
      const rewrite = functions.get(name);
      // Only runs with `compat` can have an unknown name here.
      if (rewrite === undefined) return (message): ProcessorResult => ({ type: 'message', message });
      return async (message, host): Promise<ProcessorResult> =>
        processed(message, await callFunction(name, () => rewrite(textOf(message), message, host)));
    },
  });
}

function processed(message: Message, rewritten: ProcessorFunctionResult): ProcessorResult {
  if (rewritten === null) return { type: 'drop' };
  if (typeof rewritten === 'string') return { type: 'message', message: { ...message, content: rewritten } };
  if (rewritten.drop === true) return { type: 'drop' };
  const { content = message.content, metadata } = rewritten;
  const changed: Message = { ...message, content };
  return {
    type: 'message',
    message: metadata === undefined ? changed : { ...changed, metadata: { ...message.metadata, ...metadata } },
  };
}
