import type { ConfigProblem } from '@millrace/core';
import { z } from 'zod';
import { leaveToThreadIf } from '../threads/cheap-work.ts';
import { assertTemplate, TemplateLimit } from './render.ts';

/** A Jinja template as authors write it. */
export const Template = z.string({ error: 'Write a template such as `{{ text }}`.' });

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
  leaveToThreadIf(!isCheap(written));
  try {
    assertTemplate(written);
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const code = error instanceof TemplateLimit ? 'E_TEMPLATE_LIMIT' : 'E_TEMPLATE_INVALID';
    return [{ code, severity: 'error', path, message: `The template cannot be read: ${reason}` }];
  }
}

/** Maximum number of characters of a template that is parsed without a thread, unless it only inserts names. */
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
