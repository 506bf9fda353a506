import { pythonRegex } from '../regex/python-regex.ts';

/** Tells for a text if an edge is traversed. */
export type ConditionFunction = (text: string) => boolean | Promise<boolean>;

const failureMark = '==CODE EXECUTION FAILED==';

/** The functions that edge conditions can always name. */
export const builtInConditionFunctions: ReadonlyMap<string, ConditionFunction> = new Map<string, ConditionFunction>([
  ['true', () => true],
  ['false', () => false],
  ['always_false', () => false],
  // Failures are routed by the worker: no output of a node passes.
  ['error', () => false],
  ['contains_keyword', (text) => text.toLowerCase().includes('trigger')],
  ['not_contains_keyword', (text) => !text.toLowerCase().includes('trigger')],
  ['length_greater_than_5', (text) => [...text].length > 5],
  ['code_pass', (text) => !text.includes(failureMark)],
  ['code_fail', (text) => text.includes(failureMark)],
  ['need_reflection_loop', async (text) => !(await isVerdictStop(text))],
  ['should_stop_loop', isVerdictStop],
]);

let verdict: ReturnType<typeof pythonRegex> | undefined;

async function isVerdictStop(text: string): Promise<boolean> {
  // Compiled when it is first used: compiling takes as long as loading many modules.
  verdict ??= pythonRegex('verdict\\s*:\\s*(\\w+)', { ignoreCase: true });
  const word = (await verdict.search(text))?.groups[1]?.toUpperCase();
  return word === 'STOP' || word === 'DONE';
}
