import type { ConfigProblem, Message } from '@millrace/core';
import { defineSplitter, textOf } from '@millrace/core';
import { compile as compilePath } from 'json-p3';
import { z } from 'zod';
import type { JsonValue } from './python-json.ts';
import { isFields, isList, parseJson, plain } from './python-json.ts';
import { pythonItemText } from './python-text.ts';
import { selectInThread } from './select-in-thread.ts';
import { createUnit } from './unit.ts';

/** Configuration of a `json_path` split. */
export const JsonPathConfig = z.object({
  json_path: z
    .string({ error: 'Write a path such as `data.items`, or an empty text for the whole value.' })
    .describe(
      'Keys and list positions, separated by dots; empty for the whole value; or a JSONPath that starts with `$`.',
    ),
});

/** Returns the values that a path selects; none if it does not exist. */
type Select = (value: JsonValue) => readonly JsonValue[] | Promise<readonly JsonValue[]>;

/** Splitter whose units are the items of a list inside a JSON text. */
export const jsonPath = defineSplitter({
  type: 'json_path',
  summary: 'One unit for each item of a list inside a JSON text.',
  config: JsonPathConfig,
  check: ({ json_path: path }) => pathProblems(path),
  compile({ json_path: path }, { compat }) {
    const select = path.startsWith('$') && !compat ? standardPath(path) : dottedPath(path);
    return async (messages) => {
      const units = (await Promise.all(messages.map((message) => unitsOf(message, select)))).flat();
      return units.length === 0 ? messages : units;
    };
  },
});

/** Returns the units of a message; a message that is not JSON is a single unit. */
async function unitsOf(message: Message, select: Select): Promise<readonly Message[]> {
  const value = parseJson(textOf(message));
  if (value === undefined) return [message];
  return (await select(value)).map((item) => createUnit(message, pythonItemText(item), { split_source: 'json_path' }));
}

function dottedPath(path: string): Select {
  const keys = path === '' ? [] : path.split('.');
  return (value) => {
    const found = follow(value, keys);
    if (found === undefined || found === null) return [];
    return isList(found) ? found : [found];
  };
}

/**
 * Returns the selection of a JSONPath. A path that can select only one value selects the items of that value, as a
 * dotted path does.
 */
function standardPath(path: string): Select {
  const isSingular = compilePath(path).singularQuery();
  return async (value) => {
    const locations = await selectInThread({ path, value: plain(value) });
    const values = locations.map((location) => follow(value, location)).filter((item) => item !== undefined);
    const [only] = values;
    return isSingular && only !== undefined && isList(only) ? only : values;
  };
}

function follow(value: JsonValue, keys: readonly (string | number)[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const key of keys) {
    if (isFields(current)) current = current.get(String(key));
    else if (isList(current) && /^\d+$/.test(String(key))) current = current[Number(key)];
    else return undefined;
  }
  return current;
}

function pathProblems(path: string): readonly ConfigProblem[] {
  if (!path.startsWith('$')) return [];
  try {
    compilePath(path);
    return [];
  } catch (error) {
    const message = `"${path}" is not a JSONPath: ${error instanceof Error ? error.message : String(error)}`;
    return [{ code: 'E_JSON_PATH_INVALID', severity: 'error', path: ['json_path'], message }];
  }
}
