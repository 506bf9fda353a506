import type { Message, Variables } from '@millrace/core';
import { dataOf, mergeVariables, NodeError, templateNames, textOf, valueAt } from '@millrace/core';
import { render } from './render.ts';

/** Returns the names that the templates of a node can use: its input, and the variables of its messages. */
export function namesOf(input: readonly Message[]): Variables {
  const variables = mergeVariables(input);
  const last = input.at(-1);
  return {
    ...templateNames(variables),
    args: variables['command_args'] ?? {},
    text: last === undefined ? '' : textOf(last),
    data: last === undefined ? {} : dataOf(last),
    source: last?.source ?? '',
    branch: last?.metadata?.['branch'] ?? '',
    failure: last?.metadata?.['failure'] ?? null,
    stop_reason:
      input.findLast(({ metadata }) => metadata?.['stop_reason'] !== undefined)?.metadata?.['stop_reason'] ?? '',
    inputs: input.map((message) => ({ source: message.source, text: textOf(message), data: dataOf(message) })),
  };
}

/** Returns the text of a template. Throws TEMPLATE_FAILED, also for an unknown name. */
export function renderText(template: string, names: Variables): string {
  try {
    return render(template, names);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new NodeError('TEMPLATE_FAILED', `The template cannot be rendered: ${reason}`, { cause: error });
  }
}

/** Returns the value of a template: that of the name if it is only one, such as `{{ data.result }}`; else its text. */
export function renderValue(template: unknown, names: Variables): unknown {
  if (typeof template !== 'string') return template;
  const path = /^\{\{\s*([A-Za-z_][\w.]*)\s*\}\}$/.exec(template)?.[1];
  const value = path === undefined ? undefined : valueAt(names, path);
  return value === undefined ? renderText(template, names) : value;
}
