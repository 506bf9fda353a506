import { nestsTooDeeply, parseJsonFields } from '@millrace/core';
import { serveTasks } from '../processes/serve-tasks.ts';
import { isEngineSpent, render, TemplateLimit } from './render.ts';
import type { RenderReply, RenderTask } from './render-in-child.ts';
import { namedBy } from './render-in-child.ts';

/** Maximum depth of the values of a template: the engine is recursive. */
const maxDepth = 200;
const tooDeep: RenderReply = { type: 'limit', message: `its values are nested more than ${maxDepth} levels deep` };

serveTasks<RenderTask, RenderReply>(({ template, parts }) => {
  const select = namedBy(template);
  const variables = Object.assign({}, ...parts.map((part) => select(parseJsonFields(part))));
  if (nests(variables)) return tooDeep;
  try {
    return { type: 'text', text: render(template, variables) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // The name that is missing may be in there.
    if (parts.some(nestsTooDeeply)) return tooDeep;
    return { type: error instanceof TemplateLimit ? 'limit' : 'invalid', message: error.message };
  }
}, isEngineSpent);

/** Returns whether a value nests too deeply; it is not recursive. */
function nests(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}
