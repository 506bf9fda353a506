import type { Budget } from '@millrace/core';
import { budgetFromDollars, maxBudgetDollars } from '@millrace/core';
import { z } from 'zod';

const amount = z.object({ tokens: z.number(), microUsd: z.number() });

/** Budget of a run, and what is spent and reserved of it. */
export const BudgetState = z.object({
  limit: z.object({ tokens: z.number().optional(), microUsd: z.number().optional(), ask: z.literal(true).optional() }),
  spent: amount.describe('ModelUsage, with the reserves of interrupted calls.'),
  reserved: amount.describe('Reserved for calls in progress.'),
  lost: amount.describe('Part of `spent`: reserves of interrupted calls whose actual usage is unknown.'),
});

/** Budget in a request. */
export const BudgetLimit = z
  .strictObject({
    tokens: z.int().min(0).optional().describe('Tokens of all prompts and answers together.'),
    usd: z.number().min(0).max(maxBudgetDollars).optional().describe('US dollars.'),
  })
  .describe('Limits of the whole run; absent ones are as the workflow defines them.');

/** Budget and expenses in a list. */
export const BudgetLine = BudgetState.pick({ limit: true, spent: true });

/** Returns the budget in the form of the runtime. */
export const budgetOf = (written: z.infer<typeof BudgetLimit> | undefined): { budget?: Budget } =>
  written === undefined ? {} : { budget: budgetFromDollars(written) };
