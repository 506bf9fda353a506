import type { ConfigProblem, JsonSchema, Message, RunId, Variables } from '@millrace/core';
import { dataOf, mergeVariables, NodeError, templateNames, tenantOf, textOf, valueAt } from '@millrace/core';
import { z } from 'zod';
import { leaveToChildIf } from '../processes/cheap-work.ts';
import { pathProblems } from '../schema/data-shape.ts';
import { assertTemplate, TemplateLimit } from './render.ts';
import { renderInChild } from './render-in-child.ts';

/** A Jinja template as authors write it. */
export const Template = z.string({ error: 'Write a template in quotes, such as `"{{ text }}"`.' });

/**
 * Templates by the name of their result, in the order of the author, which stored mappings lose. Values other than
 * texts are used as they are.
 */
export const Templates = z
  .record(z.string(), z.unknown(), { error: 'Write a mapping of names to templates.' })
  .default({})
  .transform((written) => Object.entries(written));

/** Returns the problem of a template that cannot be parsed. */
export function templateFieldProblems(written: string, path: ConfigProblem['path']): readonly ConfigProblem[] {
  leaveToChildIf(!isCheap(written));
  try {
    assertTemplate(written);
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const code = error instanceof TemplateLimit ? 'E_TEMPLATE_LIMIT' : 'E_TEMPLATE_INVALID';
    return [{ code, severity: 'error', path, message: `The template cannot be read: ${reason}` }];
  }
}

/** Returns the problems of the fields that a template reads of `data` with a schema. */
export const templateDataProblems = (
  written: string,
  shape: JsonSchema,
  path: ConfigProblem['path'],
): readonly ConfigProblem[] => dataPathsIn(written).flatMap((field) => pathProblems(shape, field, path));

/** Returns the dotted paths that a template follows in `data`, as far as they are written in one piece. */
function dataPathsIn(template: string): readonly string[] {
  const tags = (template.match(/\{[{%].*?[}%]\}/gs) ?? []).map((tag) => tag.replaceAll(/"[^"]*"|'[^']*'/g, '""'));
  // Another value may have the name.
  if (tags.some((tag) => /\b(set|for|macro)\b[^%]*\bdata\b(?!\.)/.test(tag))) return [];
  const paths = tags.flatMap((tag) => [...tag.matchAll(/(?<![\w.])data((?:\.\w+)+)(?!\w)(\s*\()?/g)]);
  return paths.flatMap(([, fields = '', call]) => {
    const names = fields.slice(1).split('.');
    // The last name of a call is that of a function of the value.
    const path = (call === undefined ? names : names.slice(0, -1)).join('.');
    return path === '' ? [] : [path];
  });
}

/** Maximum number of characters of a template that is parsed without another process, unless it only inserts names. */
const maxCheapCharacters = 500;

/**
 * Returns whether a template is parsed in a few milliseconds. The engine computes what is constant when it parses, and only `*`
 * makes more of it than the template has characters. Nested operators need stack, but not that much in a short template.
 */
const isCheap = (template: string): boolean =>
  (template.length <= maxCheapCharacters && !template.includes('*')) || onlyInserts(template);

/** Returns whether a template only inserts names, such as `{{ data.result }}`. */
const onlyInserts = (template: string): boolean =>
  !/\{[{%#]/.test(template.replaceAll(/\{\{\s?[\w.]{1,100}\s?\}\}/g, ''));

/** Returns the names that the templates of a node can use: its input, and the variables of its messages. */
export function namesOf(input: readonly Message[]): Variables {
  const variables = mergeVariables(input);
  const last = input.at(-1);
  const names: Record<string, unknown> = {
    ...templateNames(variables),
    args: variables['command_args'] ?? {},
    text: last === undefined ? '' : textOf(last),
    source: last?.source ?? '',
    branch: last?.metadata?.['branch'] ?? '',
    failure: last?.metadata?.['failure'] ?? null,
    stop_reason:
      input.findLast(({ metadata }) => metadata?.['stop_reason'] !== undefined)?.metadata?.['stop_reason'] ?? '',
  };
  // Texts are parsed only for a template that names their data.
  return withNames(names, {
    get data() {
      return last === undefined ? {} : dataOf(last);
    },
    get inputs() {
      return input.map((message) => ({ source: message.source, text: textOf(message), ...dataIfRead(message) }));
    },
  });
}

/** Returns the data of an input; a template that uses only its text must not fail for what is too large to be read as data. */
function dataIfRead(message: Message): { readonly data?: Variables } {
  try {
    return { data: dataOf(message) };
  } catch (error) {
    if (error instanceof NodeError) return {};
    throw error;
  }
}

/** Returns names with more names; those that are computed when they are used stay so. */
export const withNames = (names: Variables, more: Variables): Variables =>
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(names), ...Object.getOwnPropertyDescriptors(more) },
  );

/** Renders the templates of one execution. */
interface Renderer {
  /** Returns the text of a template. Throws TEMPLATE_FAILED, also for an unknown name, and TEMPLATE_LIMIT. */
  text(template: string, names: Variables): Promise<string>;
  /** Returns the value of a template: that of the name if it is only one, such as `{{ data.result }}`; else its text. */
  value(template: unknown, names: Variables): Promise<unknown>;
}

/** Returns a renderer for a run; tenants take turns. */
export function rendererFor({ run }: { readonly run: RunId }): Renderer {
  const text = (template: string, names: Variables) => renderInChild(template, [names], tenantOf(run));
  return { text, value: (template, names) => renderValue(template, names, text) };
}

async function renderValue(template: unknown, names: Variables, text: Renderer['text']): Promise<unknown> {
  if (typeof template !== 'string') return template;
  const path = /^\{\{\s*([A-Za-z_][\w.]*)\s*\}\}$/.exec(template)?.[1];
  const value = path === undefined ? undefined : valueAt(names, path);
  return value === undefined ? text(template, names) : value;
}
