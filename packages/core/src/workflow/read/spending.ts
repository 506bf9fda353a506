import type { z } from 'zod';
import type { Budget } from '../../model/budget.ts';
import { budgetFromDollars } from '../../model/budget.ts';
import type { Path } from '../document/path.ts';
import type { ProblemReporter } from '../document/report.ts';
import type { Graph } from '../document/workflow.ts';
import type { GraphSchema } from '../schema/document-schemas.ts';

type Written = Partial<z.output<typeof GraphSchema>>;

/** What the models of a workflow may cost, and may be asked. */
export function readSpending({
  budget,
  prices,
  rate_limits: rateLimits,
}: Written): Pick<Graph, 'budget' | 'prices' | 'rateLimits'> {
  return {
    ...(budget ? { budget: budgetOf(budget) } : {}),
    ...(prices ? { prices } : {}),
    ...(rateLimits ? { rateLimits } : {}),
  };
}

/** A graph that was written to be run on its own may have them; as a subgraph it is paid for by the run. */
export function warnOfSpending(graph: Graph, path: Path, report: ProblemReporter): void {
  for (const [key, field] of [
    ['budget', 'budget'],
    ['prices', 'prices'],
    ['rate_limits', 'rateLimits'],
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

const budgetOf = ({ on_exceeded, ...limits }: NonNullable<Written['budget']>): Budget => ({
  ...budgetFromDollars(limits),
  ...(on_exceeded === 'ask' ? { ask: true } : {}),
});
