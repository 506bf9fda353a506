import type { ConfigProblem } from '@millrace/core';
import { carriedData, defineSplitter } from '@millrace/core';
import { compile as compilePath } from 'json-p3';
import { z } from 'zod';
import { entryShape, splitProblems } from '../schema/data-shape.ts';
import { splitMessages } from './split-in-child.ts';

/** Configuration of a `json_path` split. */
export const JsonPathConfig = z.object({
  json_path: z
    .string({ error: 'Write a path such as `data.items`, or an empty text for the whole value.' })
    .describe(
      'Keys and list positions, separated by dots; empty for the whole value; or a JSONPath that starts with `$`.',
    ),
});

/** Splitter whose units are the items of a list inside a JSON text. */
export const jsonPath = defineSplitter({
  type: 'json_path',
  summary: 'One unit for each item of a list inside structured data, or a JSON text.',
  config: JsonPathConfig,
  check: ({ json_path: path }) => pathProblems(path),
  checkData: ({ json_path: path }, shape) => splitProblems(shape, path, ['json_path']),
  dataAfter: ({ json_path: path }, shape) => entryShape(shape, path),
  compile({ json_path: path }, { compat }) {
    const split = { by: 'json_path', path, compat } as const;
    return async (messages, maxItems) => {
      // A message that is not JSON is a single unit.
      const units = await splitMessages(split, messages, maxItems, (message) => message);
      const isData = !compat && messages.some((message) => carriedData(message) !== undefined);
      // A text without such a list is one, too, as in the original engine; an empty list of data has no units.
      return units.size === 0 && !isData ? messages : units;
    };
  },
});

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
