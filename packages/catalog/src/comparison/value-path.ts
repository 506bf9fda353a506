import { maxJsonDepth, valueAt } from '@millrace/core';
import type { JSONPathQuery } from 'json-p3';
import { JSONPathEnvironment, jsonpath } from 'json-p3';

/** One step of a path: a field, a position in a list, or each entry of a list or of a mapping. */
export interface PathStep {
  readonly type: 'field' | 'position' | 'each';
  readonly name: string;
}

/** A path to values in structured data, ready for use. */
export interface ValuePath {
  /** The path selects one value at most. */
  readonly isSingular: boolean;
  /** Its steps; absent if it also selects by other criteria, such as a filter. */
  readonly steps?: readonly PathStep[];
  /** Returns the values at the path; none if it does not exist. */
  select(value: unknown): readonly unknown[];
}

/** Thrown for a text that is no path; the message is one sentence for its author. */
export class PathError extends Error {}

const maxPathCharacters = 500;

/**
 * Compiles a path: names and positions of lists joined by dots, such as `items.0.price`, or a JSONPath that starts with `$`. A
 * JSONPath takes linear time: it has `..` once at most, no selectors side by side, and its filters neither search by
 * regular expressions nor select several values. Throws a {@link PathError}.
 */
export function compileValuePath(path: string): ValuePath {
  if (path.length > maxPathCharacters) throw new PathError(`A path may have ${maxPathCharacters} characters`);
  if (path.startsWith('$')) return jsonPath(path);
  const names = path.split('.');
  if (names.includes('')) throw new PathError(`"${path}" is not a path: write names joined by dots`);
  return {
    isSingular: true,
    steps: names.map((name) => ({ type: /^\d+$/.test(name) ? 'position' : 'field', name })),
    select(value) {
      const found = valueAt(value, path);
      return found === undefined ? [] : [found];
    },
  };
}

const environment = new JSONPathEnvironment({ maxRecursionDepth: maxJsonDepth + 2 });
// They search with the engine of JavaScript, which has no time limit.
for (const name of ['match', 'search']) environment.functionRegister.delete(name);

function jsonPath(path: string): ValuePath {
  const query = parsed(path);
  const reason = costOf(query);
  if (reason !== undefined) throw new PathError(`"${path}" may take too long: ${reason}`);
  const steps = stepsOf(query);
  return {
    isSingular: query.singularQuery(),
    ...(steps === undefined ? {} : { steps }),
    // Structured data are JSON. Lazily, as the other way has a limit of the entries of a list.
    select: (value) =>
      [...query.lazyQuery(value as Parameters<JSONPathQuery['lazyQuery']>[0])].map((node) => node.value),
  };
}

function parsed(path: string): JSONPathQuery {
  try {
    return environment.compile(path);
  } catch (error) {
    throw new PathError(`"${path}" is not a JSONPath: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const { FilterSelector, IndexSelector, NameSelector, SliceSelector, WildcardSelector } = jsonpath.selectors;

/** Returns why a query could take more than linear time. */
function costOf({ segments }: JSONPathQuery): string | undefined {
  if (segments.filter(isDescending).length > 1) return '".." occurs more than once';
  if (segments.some(({ selectors }) => selectors.length > 1)) return 'it has several selectors side by side';
  const filters = segments.flatMap(({ selectors }) => selectors).filter((one) => one instanceof FilterSelector);
  const inner = filters.flatMap(({ expression }) => queriesOf(expression));
  return inner.every((query) => query.singularQuery()) ? undefined : 'a filter selects several values';
}

const isDescending = (segment: JSONPathQuery['segments'][number]): boolean => segment.toString().startsWith('..');

const { FilterQuery, FunctionExtension, InfixExpression, LogicalExpression, PrefixExpression } = jsonpath.expressions;

/** Returns the queries in the expression of a filter. */
function queriesOf(expression: jsonpath.expressions.FilterExpression): readonly JSONPathQuery[] {
  if (expression instanceof FilterQuery) return [expression.path];
  if (expression instanceof LogicalExpression) return queriesOf(expression.expression);
  if (expression instanceof PrefixExpression) return queriesOf(expression.right);
  if (expression instanceof InfixExpression) return [...queriesOf(expression.left), ...queriesOf(expression.right)];
  return expression instanceof FunctionExtension ? expression.args.flatMap(queriesOf) : [];
}

function stepsOf({ segments }: JSONPathQuery): ValuePath['steps'] {
  const steps = segments.map((segment) => {
    const [selector] = segment.selectors;
    if (isDescending(segment)) return undefined;
    if (selector instanceof NameSelector) return { type: 'field' as const, name: selector.name };
    if (selector instanceof IndexSelector) return { type: 'position' as const, name: String(selector.index) };
    const isEach = selector instanceof WildcardSelector || selector instanceof SliceSelector;
    return isEach || selector instanceof FilterSelector ? { type: 'each' as const, name: '*' } : undefined;
  });
  const known = steps.filter((step) => step !== undefined);
  return known.length === steps.length ? known : undefined;
}
