import type { Message, RunId, Variables } from '@millrace/core';
import { dataOf, mergeVariables, templateNames, tenantOf, textOf, valueAt } from '@millrace/core';
import { renderInThread } from './render-in-thread.ts';

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
      return input.map((message) => ({ source: message.source, text: textOf(message), data: dataOf(message) }));
    },
  });
}

/** Returns names with more names; those that are computed when they are used stay so. */
export const withNames = (names: Variables, more: Variables): Variables =>
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(names), ...Object.getOwnPropertyDescriptors(more) },
  );

/** Renders the templates of one execution. */
export interface Renderer {
  /** Returns the text of a template. Throws TEMPLATE_FAILED, also for an unknown name, and TEMPLATE_LIMIT. */
  text(template: string, names: Variables): Promise<string>;
  /** Returns the value of a template: that of the name if it is only one, such as `{{ data.result }}`; else its text. */
  value(template: unknown, names: Variables): Promise<unknown>;
}

/** Returns a renderer for a run; tenants take turns. */
export function rendererFor({ run }: { readonly run: RunId }): Renderer {
  const text = (template: string, names: Variables) => renderInThread(template, [names], tenantOf(run));
  return { text, value: (template, names) => renderValue(template, names, text) };
}

async function renderValue(template: unknown, names: Variables, text: Renderer['text']): Promise<unknown> {
  if (typeof template !== 'string') return template;
  const path = /^\{\{\s*([A-Za-z_][\w.]*)\s*\}\}$/.exec(template)?.[1];
  const value = path === undefined ? undefined : valueAt(names, path);
  return value === undefined ? text(template, names) : value;
}
