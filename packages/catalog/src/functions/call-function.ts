import type { ConfigProblem } from '@millrace/core';
import { NodeError } from '@millrace/core';

/**
 * Calls a function of an edge. Throws FUNCTION_FAILED with what it throws, so that its errors differ from limits and faults, which
 * have codes of their own.
 */
export async function callFunction<T>(name: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof NodeError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NodeError('FUNCTION_FAILED', `The function "${name}" failed: ${reason}`, { cause });
  }
}

/** Returns the problem of a function name that is not registered. */
export function unknownFunction(name: string, functions: ReadonlyMap<string, unknown>): readonly ConfigProblem[] {
  if (functions.has(name)) return [];
  return [
    {
      code: 'E_FUNCTION_UNKNOWN',
      severity: 'error',
      path: ['name'],
      message: `There is no function "${name}"`,
      hint: describeFunctions([...functions.keys()]),
    },
  ];
}

/** Returns a hint with the names of functions, and the settings that add others. */
export const describeFunctions = (names: readonly string[]): string =>
  `${names.length === 0 ? 'None are registered.' : `Known functions: ${names.join(', ')}.`} ${ownFunctions}`;

const ownFunctions =
  'MILLRACE_EXTENSIONS names a module with functions of your own in TypeScript, and MILLRACE_FUNCTIONS_DIR a folder with those in Python.';
