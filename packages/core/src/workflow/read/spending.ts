import type { z } from 'zod';
import type { Budget } from '../../model/usage/budget.ts';
import { budgetFromDollars } from '../../model/usage/budget.ts';
import type { Path } from '../document/path.ts';
import type { ProblemReporter } from '../document/report.ts';
import type { Graph } from '../document/workflow.ts';
import type { GraphSchema } from '../schema/document-schemas.ts';

type SpendingFields = Partial<z.output<typeof GraphSchema>>;

/** Reads the budget, the prices, the rate limits and the recording of requests of a workflow. */
export function readSpending({
  budget,
  prices,
  rate_limits: rateLimits,
  record_requests: recordRequests,
}: SpendingFields): Pick<Graph, 'budget' | 'prices' | 'rateLimits' | 'recordRequests'> {
  return {
    ...(budget ? { budget: budgetOf(budget) } : {}),
    ...(prices ? { prices } : {}),
    ...(rateLimits ? { rateLimits } : {}),
    ...(recordRequests === false ? { recordRequests } : {}),
  };
}

/**
 * Warns of these fields in a subgraph: a graph may have them for its own runs, but in a subgraph they have no
 * effect.
 */
export function warnOfSpending(graph: Graph, path: Path, report: ProblemReporter): void {
  for (const [key, field] of [
    ['budget', 'budget'],
    ['prices', 'prices'],
    ['rate_limits', 'rateLimits'],
    ['record_requests', 'recordRequests'],
  ] as const) {
    if (graph[field] === undefined) continue;
    const message = `"${key}" of a subgraph has no effect`;
    report.add('W_SPENDING_INNER', {
      path: [...path, key],
      atKey: true,
      message,
      hint: 'Write it in the outermost graph.',
    });
  }
}

const budgetOf = ({ on_exceeded, ...limits }: NonNullable<SpendingFields['budget']>): Budget => ({
  ...budgetFromDollars(limits),
  ...(on_exceeded === 'ask' ? { ask: true } : {}),
});
