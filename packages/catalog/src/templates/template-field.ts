import type { ConfigProblem } from '@millrace/core';
import { z } from 'zod';
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
  if (isElsewhere && !isSimple(written)) throw new CostlyTemplate();
  try {
    assertTemplate(written);
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const code = error instanceof TemplateLimit ? 'E_TEMPLATE_LIMIT' : 'E_TEMPLATE_INVALID';
    return [{ code, severity: 'error', path, message: `The template cannot be read: ${reason}` }];
  }
}

/** Thrown for a template whose parsing could take long, where that is left to a thread. */
class CostlyTemplate extends Error {}

let isElsewhere = false;

/**
 * Reads a workflow without parsing templates that compute something, which may take long: the engine computes what is constant
 * when it parses. Returns undefined if there is such a template.
 */
export function readSimpleTemplates<T>(read: () => T): T | undefined {
  isElsewhere = true;
  try {
    return read();
  } catch (error) {
    if (error instanceof CostlyTemplate) return undefined;
    throw error;
  } finally {
    isElsewhere = false;
  }
}

/** Returns whether a template only inserts names, such as `{{ data.result }}`, which cannot take long. */
const isSimple = (template: string): boolean => !/\{[{%#]/.test(template.replaceAll(/\{\{\s?[\w.]{1,100}\s?\}\}/g, ''));
