import { builtInTools } from '../tools/built-in.ts';
import { builtInConditionFunctions } from './condition-functions.ts';
import type { Extensions } from './extensions.ts';
import { builtInProcessorFunctions } from './processor-functions.ts';

/**
 * Returns these functions without those that Millrace has built in: a folder that was written for the original engine
 * also contains the original's own functions, which need the rest of it.
 */
export function withoutBuiltIns({ conditions, processors, tools, ...others }: Extensions): Extensions {
  const available = builtInTools.filter(({ unavailable }) => unavailable === undefined);
  const known = new Set(available.map(({ name }) => name));
  return {
    ...others,
    conditions: missingIn(builtInConditionFunctions, conditions),
    processors: missingIn(builtInProcessorFunctions, processors),
    tools: (tools ?? []).filter(({ name }) => !known.has(name)),
  };
}

const missingIn = <Function>(
  known: ReadonlyMap<string, Function>,
  functions: ReadonlyMap<string, Function> = new Map(),
): ReadonlyMap<string, Function> => new Map([...functions].filter(([name]) => !known.has(name)));
