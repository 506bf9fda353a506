import type { ConfigProblem } from '@millrace/core';

/** Returns the problem of a function name that is not registered. */
export function unknownFunction(name: string, functions: ReadonlyMap<string, unknown>): readonly ConfigProblem[] {
  if (functions.has(name)) return [];
  return [
    {
      code: 'E_FUNCTION_UNKNOWN',
      severity: 'error',
      path: ['name'],
      message: `There is no function "${name}"`,
      hint: `Known functions: ${[...functions.keys()].join(', ')}.`,
    },
  ];
}
