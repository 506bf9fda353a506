import type { ConfigProblem } from '@millrace/core';
import { defineCondition, singleLine } from '@millrace/core';
import { z } from 'zod';
import { Strings } from './keyword.ts';

/** Configuration of a `branch` condition. */
export const BranchConfig = z
  .object({
    is: z
      .string({ error: 'Write the name of a branch.' })
      .min(1)
      .regex(singleLine)
      .optional()
      .describe('Name of the branch.'),
    in: Strings.describe('Names of several branches.'),
    otherwise: z
      .boolean({ error: 'Write `true`, or leave it out.' })
      .default(false)
      .describe('Holds for branches that no other `branch` edge of the node names.'),
    except: Strings.describe('Branches of the other edges; filled in when the document is read.'),
  })
  .refine((config) => [config.is !== undefined, config.in.length > 0, config.otherwise].filter(Boolean).length === 1, {
    error: 'Write exactly one of `is`, `in` and `otherwise`.',
  });

/**
 * Condition that holds for messages whose `metadata.branch` is one of the named branches: a node chooses among its
 * edges with it.
 */
export const branch = defineCondition({
  type: 'branch',
  summary: 'Holds for the branch that the node has chosen.',
  config: BranchConfig,
  check: ({ otherwise, except }): readonly ConfigProblem[] =>
    otherwise || except.length === 0
      ? []
      : [{ code: 'E_FIELD_INVALID', severity: 'error', path: ['except'], message: '"except" goes with "otherwise"' }],
  describe: ({ is, in: names, otherwise }) =>
    otherwise ? 'any other branch' : `branch ${(is === undefined ? names : [is]).join(' or ')}`,
  compile({ is, in: names, otherwise, except }) {
    const wanted = new Set(is === undefined ? names : [is]);
    const taken = new Set(except);
    return (_text, { metadata }) => {
      const chosen = metadata?.['branch'];
      if (typeof chosen !== 'string') return otherwise;
      return otherwise ? !taken.has(chosen) : wanted.has(chosen);
    };
  },
});
