import type { ConfigProblem } from '@millrace/core';
import { defineCondition } from '@millrace/core';
import { z } from 'zod';
import { Strings } from './strings.ts';

/** Configuration of a `branch` condition. */
export const BranchConfig = z
  .object({
    is: z.string({ error: 'Write the name of a branch.' }).min(1).optional().describe('The branch is this one.'),
    in: Strings.describe('The branch is one of these.'),
    otherwise: z
      .boolean({ error: 'Write `true`, or leave it out.' })
      .default(false)
      .describe('No other `branch` edge of the same node names it.'),
    except: Strings.describe('Filled in when the document is read: what the other edges name.'),
  })
  .refine((config) => [config.is !== undefined, config.in.length > 0, config.otherwise].filter(Boolean).length === 1, {
    error: 'Write exactly one of `is`, `in` and `otherwise`.',
  });

/** Holds for messages whose `metadata.branch` is the one that is named: how a node chooses among its edges. */
export const branch = defineCondition({
  type: 'branch',
  summary: 'Holds for the branch that the node has chosen.',
  config: BranchConfig,
  check: ({ otherwise, except }): readonly ConfigProblem[] =>
    otherwise || except.length === 0
      ? []
      : [{ code: 'E_FIELD_INVALID', severity: 'error', path: ['except'], message: '"except" goes with "otherwise"' }],
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
