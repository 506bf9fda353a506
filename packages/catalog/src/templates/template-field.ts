import type { ConfigProblem } from '@millrace/core';
import { z } from 'zod';
import { assertTemplate } from './render.ts';

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
  try {
    assertTemplate(written);
    return [];
  } catch (error) {
    const message = `The template cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return [{ code: 'E_TEMPLATE_INVALID', severity: 'error', path, message }];
  }
}
