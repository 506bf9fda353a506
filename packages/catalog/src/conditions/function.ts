import type { ConditionDefinition } from '@millrace/core';
import { defineCondition, singleLine } from '@millrace/core';
import { z } from 'zod';
import { callFunction, unknownFunction } from '../functions/call-function.ts';
import type { ConditionFunction } from '../functions/condition-functions.ts';

/** Configuration of a `function` condition. */
export const FunctionConditionConfig = z.object({
  name: z
    .string({ error: 'Write the name of a function.' })
    .min(1, { error: 'Write the name of a function.' })
    .regex(singleLine)
    .describe('Name of a built-in or registered function of the message text.'),
});

/** Functions of edges that let failures, or nothing, pass. */
const texts: ReadonlyMap<string, string> = new Map([
  ['error', 'on failure'],
  ['always_false', 'never'],
]);

/** Returns the condition that calls one of these functions with the text. */
export function functionCondition(
  functions: ReadonlyMap<string, ConditionFunction>,
): ConditionDefinition<z.infer<typeof FunctionConditionConfig>> {
  return defineCondition({
    type: 'function',
    summary: 'Asks a named function about the text.',
    config: FunctionConditionConfig,
    check: ({ name }) => unknownFunction(name, functions),
    describe: ({ name }) => texts.get(name) ?? name,
    compile({ name }, { compat }) {
      // The original engine looks `false` up as a function like any other, and does not find it.
      const found = compat && name === 'false' ? undefined : functions.get(name);
      return found === undefined ? () => true : (text) => callFunction(name, () => found(text));
    },
  });
}
