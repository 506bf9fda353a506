import type { AskedModel, BudgetRecord, Plan, Price, Usage } from '@millrace/core';
import { costOf, NodeError } from '@millrace/core';
import type { WorkerContext } from '../context/worker-context.ts';

/** The price of what a model is asked. A script costs nothing, unless the workflow wants to know what it would. */
export function priceFor({ models }: WorkerContext, plan: Plan, asked: AskedModel): Price | undefined {
  const found = models().price(asked, plan.prices);
  if (asked.provider !== 'scripted') return found?.price;
  return found?.rates === 'graph' ? found.price : { input: 0, output: 0 };
}

/** Returns a usage with its cost where the price is known, and with the model that answered where another one was asked. */
export function withCost(
  { microUsd: _cost, rates: _rates, ...counted }: Usage,
  price: Price | undefined,
  asked: string,
): Usage {
  const { model, ...usage } = counted;
  return {
    ...usage,
    ...(model === undefined || model === asked ? {} : { model }),
    ...(price === undefined ? {} : { microUsd: costOf(price, usage) }),
  };
}

/** Throws a NodeError for a model whose calls cannot be held to a budget, as their price is unknown. */
export function assertPriced({ limit }: BudgetRecord, price: Price | undefined, model: string): void {
  if (limit.microUsd === undefined || price !== undefined) return;
  throw new NodeError(
    'PRICE_UNKNOWN',
    `The run has a budget in US dollars, but there is no price for the model "${model}". Write it under \`prices\` of the graph, or in the file that MILLRACE_PRICES names.`,
  );
}
