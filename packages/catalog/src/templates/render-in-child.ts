import type { Variables } from '@millrace/core';
import { NodeError } from '@millrace/core';
import { ProcessPool, TaskOverrun } from '../processes/process-pool.ts';

/**
 * A template and its names for another process. Each part is the JSON of a mapping, or a text of a message: then its fields are
 * names if it is a JSON object. Names of later parts replace those of earlier ones.
 */
export interface RenderTask {
  readonly template: string;
  readonly parts: readonly string[];
}

/** The text, or the reason why there is none: the template of the author, or a limit. */
export type RenderReply =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'invalid' | 'limit'; readonly message: string };

const processorMs = 2000;
const heapMb = 256;
/** Maximum number of characters of all parts. */
const maxCharacters = 32 * 1024 * 1024;

/** Processes that render; they start with the first template. */
const processes = new ProcessPool<RenderTask, RenderReply>({
  module: new URL('./render-child.js', import.meta.url),
  size: 2,
  processorMs,
  heapMb,
  messages: 'json',
});

/**
 * Renders a Jinja template for an owner; owners take turns. A text among the names stands for its fields, if it is a JSON object:
 * the other process parses it, which can take long. Throws TEMPLATE_FAILED for an error of its author, such as an unknown name, and
 * TEMPLATE_LIMIT if it needs too much time, memory or depth.
 */
export async function renderInChild(
  template: string,
  names: readonly (Variables | string)[],
  owner: string,
): Promise<string> {
  const select = namedBy(template);
  const parts = names.map((part) => (typeof part === 'string' ? part : jsonOf(select(part))));
  if (parts.reduce((sum, { length }) => sum + length, 0) > maxCharacters)
    throw limitError(`its values have more than ${maxCharacters} characters`);
  const reply = await processes.run({ template, parts }, { owner }).catch((error: unknown): RenderReply => {
    if (!(error instanceof TaskOverrun)) throw error;
    const limit =
      error.message === 'time' ? `${processorMs / 1000} seconds of processor time` : `${heapMb} MiB of memory`;
    return { type: 'limit', message: `it takes more than ${limit}` };
  });
  if (reply.type === 'text') return reply.text;
  if (reply.type === 'limit') throw limitError(reply.message);
  throw new NodeError('TEMPLATE_FAILED', `The template cannot be rendered: ${reply.message}`);
}

const limitError = (reason: string): NodeError =>
  new NodeError('TEMPLATE_LIMIT', `The template cannot be rendered within its limits: ${reason}.`);

function jsonOf(names: Variables): string {
  try {
    return JSON.stringify(names);
  } catch (error) {
    // The only cause with values that were JSON: the stack, or the length of the result.
    if (error instanceof RangeError) throw limitError('its values are nested too deeply, or too large');
    throw error;
  }
}

/** Returns a function that selects the variables that a template can refer to: the size and depth of others do not matter. */
export function namedBy(template: string): (variables: Variables) => Variables {
  const names = new Set(template.match(/[\p{L}\p{N}_]+/gu));
  // `debug()` prints all variables.
  if (names.has('debug')) return (variables) => variables;
  // By the names, as a message may have a million fields.
  return (variables) =>
    Object.fromEntries([...names].flatMap((name) => (Object.hasOwn(variables, name) ? [[name, variables[name]]] : [])));
}
