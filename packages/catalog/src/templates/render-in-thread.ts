import { NodeError } from '@millrace/core';
import { ThreadOverrun, ThreadPool } from '../threads/thread-pool.ts';

/** A template and its variables, for another thread. */
export interface RenderTask {
  readonly template: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The text, or the reason why there is none: the template of the author, or a limit. */
export type RenderReply =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'invalid' | 'limit'; readonly message: string };

const timeoutMs = 2000;
const heapMb = 256;
/** Maximum depth of the values of a template: the engine and the passage to its thread are recursive. */
const maxDepth = 200;
/** Maximum number of values and characters that are passed to the engine. */
const maxSize = 16 * 1024 * 1024;

/** Threads of this process; they start with the first template. */
const threads = new ThreadPool<RenderTask, RenderReply>({
  // The path is the same from the sources and from the build: Node runs the built file, because it reads no TypeScript.
  module: new URL('../../dist/templates/render-thread.js', import.meta.url),
  size: 2,
  timeoutMs,
  heapMb,
});

/**
 * Renders a Jinja template for an owner; owners take turns. Throws TEMPLATE_FAILED for an error of its author, such as an unknown
 * name, and TEMPLATE_LIMIT if it needs too much time, memory or depth.
 */
export async function renderInThread(
  template: string,
  names: Readonly<Record<string, unknown>>,
  owner: string,
): Promise<string> {
  const variables = namedIn(template, names);
  assertBounded(variables);
  const reply = await threads.run({ template, variables }, { owner }).catch((error: unknown): RenderReply => {
    if (!(error instanceof ThreadOverrun)) throw error;
    const limit = error.message === 'time' ? `${timeoutMs / 1000} seconds` : `${heapMb} MiB of memory`;
    return { type: 'limit', message: `it takes more than ${limit}` };
  });
  if (reply.type === 'text') return reply.text;
  if (reply.type === 'limit') throw limitError(reply.message);
  throw new NodeError('TEMPLATE_FAILED', `The template cannot be rendered: ${reply.message}`);
}

const limitError = (reason: string): NodeError =>
  new NodeError('TEMPLATE_LIMIT', `The template cannot be rendered within its limits: ${reason}.`);

/** Returns the variables that a template can refer to: others are not copied, and their size and depth do not matter. */
function namedIn(template: string, names: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const words = new Set(template.match(/[\p{L}\p{N}_]+/gu));
  // `debug()` prints all variables.
  if (words.has('debug')) return names;
  return Object.fromEntries(Object.entries(names).filter(([name]) => words.has(name)));
}

/** Throws TEMPLATE_LIMIT for values that are too deep or too large. It is not recursive. */
function assertBounded(variables: Readonly<Record<string, unknown>>): void {
  let size = 0;
  let level: readonly unknown[] = [variables];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw limitError(`its values are nested more than ${maxDepth} levels deep`);
    for (const value of level) {
      size += sizeOf(value);
      if (size > maxSize) throw limitError(`its values have more than ${maxSize} characters`);
    }
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
}

/** Returns the characters of a text, or of the keys of a value; each value counts as one more. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 1;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 1;
  return Object.keys(value).reduce((sum, key) => sum + key.length, 1);
}
