import type { AskedModel, BudgetRecord, Plan, Terms, Usage } from '@millrace/core';
import { costOf, NodeError, omitUndefined, savedByCaches } from '@millrace/core';
import type { WorkerContext } from '../context/worker-context.ts';

type PricingWorker = Pick<WorkerContext, 'models'>;

/** Terms on which calls of a model are billed, and who wrote the price; a script has no such source. */
export interface ModelTerms extends Terms {
  readonly rates?: string;
}

/** Returns the terms of a model; undefined if its price is unknown. A script costs nothing, unless the graph says what it would. */
export function termsOf(
  { models }: PricingWorker,
  { prices }: Pick<Plan, 'prices'>,
  asked: AskedModel,
): ModelTerms | undefined {
  const lookup = models();
  const found = lookup.price(asked, prices);
  const { provider } = asked;
  if (provider === 'scripted' && found?.rates !== 'graph') return { price: { input: 0, output: 0 }, provider };
  // Before the spread, as fields that are added after one take much longer.
  return found && { provider, regional: lookup.profile(asked).regional, ...found };
}

/** Time before the retirement of a model from which another one may answer in its place: time zones differ. */
const retirementMarginMs = 24 * 60 * 60 * 1000;

/** Returns the terms of all models that may answer a request, for its bound: a retired one is answered by another. */
export function boundTermsOf(
  worker: PricingWorker,
  plan: Pick<Plan, 'prices'>,
  asked: AskedModel,
  now: number,
): readonly ModelTerms[] {
  const { retires, routes_to } = worker.models().profile(asked);
  const isRouted = retires != null && Date.parse(retires) - retirementMarginMs <= now;
  const models = [asked.model, ...(isRouted && routes_to !== undefined ? [routes_to] : [])];
  return models.flatMap((model) => {
    const terms = termsOf(worker, plan, { ...asked, model });
    // Replies of Anthropic name their region, which the settings of the account decide.
    return terms === undefined
      ? []
      : [{ ...terms, regional: terms.regional === true || asked.provider === 'anthropic' }];
  });
}

/** Sources of prices, those first that know best what the user pays. */
const sources = ['graph', 'operator', 'list', 'assumed'] as const;

const rankOf = ({ rates = '' }: ModelTerms): number => sources.findIndex((source) => rates.startsWith(source));

/** A request of a model, as far as its cost depends on it. */
export interface BilledRequest extends AskedModel {
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the usage of a call with its cost. The price is that of the model that answered: a provider may answer for a
 * retired model with another one. A price that somebody wrote for the model that was asked is better than a list price.
 * The provider's own statement of the cost counts where the host is known for it, or the author says so.
 */
export function withCost(
  worker: PricingWorker,
  plan: Pick<Plan, 'prices'>,
  request: BilledRequest,
  reported: Usage,
): Usage {
  const { model = request.model, microUsd, rates, ...counted } = reported;
  const usage: Usage = model === request.model ? counted : { model, ...counted };
  if (rates === 'reported' && microUsd !== undefined && reportsCost(worker, request))
    return { microUsd, rates, ...usage };
  const asked = termsOf(worker, plan, request);
  const answered = model === request.model ? asked : termsOf(worker, plan, { ...request, model });
  const terms = answered === undefined || (asked !== undefined && rankOf(asked) < rankOf(answered)) ? asked : answered;
  if (terms === undefined) return usage;
  const saved = savedByCaches(usage, terms);
  // Before the spread, as fields that are added after one take much longer.
  return {
    microUsd: costOf(usage, terms),
    ...omitUndefined({ savedMicroUsd: saved === 0 ? undefined : saved, rates: terms.rates }),
    ...usage,
  };
}

const reportsCost = ({ models }: PricingWorker, request: BilledRequest): boolean =>
  request.params?.['cost'] === 'reported' || models().profile(request).reports_cost === true;

/** Throws a NodeError for a model whose calls cannot be held to a budget, as their price is unknown. */
export function assertPriced({ limit }: BudgetRecord, terms: Terms | undefined, model: string): void {
  if (limit.microUsd === undefined || terms !== undefined) return;
  throw new NodeError(
    'PRICE_UNKNOWN',
    `The run has a budget in US dollars, but there is no price for the model "${model}". Write it under \`prices\` of the graph, or in the file that MILLRACE_PRICES names.`,
  );
}
