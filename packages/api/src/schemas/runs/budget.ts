import type { Budget } from '@millrace/core';
import { budgetFromDollars, maxBudgetDollars } from '@millrace/core';
import { Amount, Budget as BudgetSchema } from '@millrace/core/schemas';
import { z } from 'zod';

/** Budget of a run, and what is spent and reserved of it. */
export const BudgetState = z.object({
  limit: BudgetSchema,
  spent: Amount.describe('Usage, with the reserves of interrupted calls.'),
  reserved: Amount.describe('Reserved for calls in progress.'),
  lost: Amount.describe('Part of `spent`: reserves of interrupted calls whose actual usage is unknown.'),
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
