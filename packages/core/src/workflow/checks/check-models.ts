import type { Issue } from '../../model/errors.ts';
import type { ModelLookup } from '../../model/profiles/model-lookup.ts';
import { refusedParams } from '../../model/profiles/refused-params.ts';
import type { RetirementDates } from '../../model/profiles/retirement.ts';
import { describeRetirement, retirementOf } from '../../model/profiles/retirement.ts';
import type { Graph } from '../document/workflow.ts';
import type { LocatedModel } from '../elements/read-context.ts';

/** Knowledge of an installation by which models are checked. */
export interface ModelKnowledge extends RetirementDates {
  readonly lookup: ModelLookup;
}

/** Budget and prices of a run. */
export type Spending = Pick<Graph, 'budget' | 'prices'>;

/** A workflow that was read, with the models that its nodes ask. */
interface CheckedModels {
  readonly spending?: Spending;
  readonly models?: readonly LocatedModel[];
  readonly issues: readonly Issue[];
}

/**
 * Adds warnings about the models of a workflow. They depend on the tables of the installation and on the date, which the
 * reading of a workflow does not, and on what a run is given beside its workflow.
 */
export function withModelIssues<Result extends CheckedModels>(
  result: Result,
  knowledge: ModelKnowledge,
  given: Spending = {},
): Result {
  const { models = [], issues } = result;
  const spending: Spending = {
    budget: { ...result.spending?.budget, ...given.budget },
    prices: { ...result.spending?.prices, ...given.prices },
  };
  const added = models
    .filter(({ provider }) => provider !== 'scripted')
    .flatMap((model) => issuesOf(model, spending, knowledge));
  return added.length === 0 ? result : { ...result, issues: [...issues, ...added] };
}

function issuesOf(
  model: LocatedModel,
  { budget, prices }: Spending,
  { lookup, ...dates }: ModelKnowledge,
): readonly Issue[] {
  const profile = lookup.profile(model);
  const retirement = retirementOf(profile, dates);
  const price = lookup.price(model, prices);
  const isMoney = budget?.microUsd !== undefined;
  return [
    ...(retirement === undefined
      ? []
      : [
          warning(model, {
            code: retirement.type === 'retired' ? 'W_MODEL_RETIRED' : 'W_MODEL_RETIRING',
            message: `The model "${model.model}" ${describeRetirement(retirement)}`,
          }),
        ]),
    ...refusedParams(profile, model.params).map(({ name, reason }) => ({
      ...warning(model, {
        code: 'W_PARAM_REFUSED',
        message: `The model "${model.model}" ${reason}`,
        hint: `Leave out \`${name}\`, or choose another model.`,
      }),
      ...model.paramPositions[name],
      path: `${model.path}.params.${name}`,
    })),
    ...(isMoney && price === undefined
      ? [
          warning(model, {
            code: 'W_PRICE_UNKNOWN',
            message: `The budget counts US dollars, but there is no price for the model "${model.model}", so a run that asks it fails`,
            hint: `Write it under \`prices\` of the graph, as in \`prices: {${model.model}: {input: 0.5, output: 1.5}}\`.`,
          }),
        ]
      : []),
    ...(isMoney && price?.rates === 'assumed'
      ? [
          warning(model, {
            code: 'W_PRICE_ASSUMED',
            message: `The budget in US dollars counts "${model.model}" at the list price of its vendor, but base_url names another host`,
            hint: 'Write what this host charges under `prices` of the graph.',
          }),
        ]
      : []),
  ];
}

const warning = (
  { file, line, column, path }: LocatedModel,
  problem: { readonly code: string; readonly message: string; readonly hint?: string },
): Issue => ({ ...problem, severity: 'warning', file, line, column, path: `${path}.name` });
