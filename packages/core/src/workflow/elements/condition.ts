import { isMapping } from '../document/mapping.ts';
import type { Use } from '../document/workflow.ts';
import { describeValue } from '../schema/schema-problems.ts';
import type { LocatedValue, ReadContext } from './read-context.ts';
import { isFunction, kinds, readShortUse, readUse } from './use.ts';

/** Name of the condition that no message passes. */
const NEVER = 'always_false';

/** Reads the condition of an edge: null if every message passes, undefined if the condition is invalid. */
export function readCondition(context: ReadContext, { value, path }: LocatedValue): Use | null | undefined {
  if (value === undefined || value === null || value === true) return null;
  if (value === false) return named(context, NEVER, path);
  if (typeof value === 'string' && value !== '') return named(context, value, path);
  if (!isMapping(value)) {
    context.document.report.add('E_CONDITION_INVALID', {
      path,
      message: `A condition is true, false, the name of a function or a mapping with type and config, but not ${describeValue(value)}`,
    });
    return undefined;
  }
  const isNamed = value.type === 'function' && isMapping(value.config);
  const name = isNamed && isMapping(value.config) ? value.config.name : undefined;
  if (name === 'true' || name === 'false') return named(context, name, path);
  return readUse(context, kinds.condition, { value, path });
}

/**
 * Reads a condition by its name. The original engine looks for a function `false`, does not find it, and lets
 * everything pass.
 */
function named(context: ReadContext, name: string, path: LocatedValue['path']): Use | null | undefined {
  if (name === 'true' || (name === 'false' && context.shared.compat)) return null;
  const value = { name: name === 'false' ? NEVER : name };
  return readShortUse(context, kinds.condition, { type: 'function', value, path });
}

/** Returns whether no message ever passes. */
export const isNever = (condition: Use | null): boolean => condition !== null && isFunction(condition, NEVER);

/** Returns whether only messages about a failure of their source pass. */
export const isOnError = (condition: Use | null): boolean => condition !== null && isFunction(condition, 'error');
