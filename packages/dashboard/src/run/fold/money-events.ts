import type { Applied, Change } from './fields.ts';
import { enterState } from './live.ts';
import { minus, nothing, plus, releaseReserved } from './money.ts';
import type { Picture } from './picture.ts';
import { factsOf, placeOf } from './picture.ts';
import { noUsage, tokensOf, withCall } from './usage.ts';

/** Changes by calls, and by the budget of the run. */
export const moneyEvents: Readonly<Record<string, Change>> = {
  'run.budgeted': (picture, { budget }) => limitSpending(picture, budget ?? {}),
  'step.reserved'({ live, budget }, { activation, step, amount }) {
    live.get(activation)?.reserved.set(step, amount);
    if (budget !== undefined) budget.reserved = plus(budget.reserved, amount);
  },
  'step.lost'(picture, { activation, step }) {
    const one = picture.live.get(activation);
    const amount = one?.reserved.get(step);
    if (one === undefined || amount === undefined) return;
    const others = new Map([...one.reserved].filter(([other]) => other > step));
    for (const other of others.keys()) one.reserved.delete(other);
    releaseReserved(picture, one, step);
    for (const [other, kept] of others) one.reserved.set(other, kept);
  },
  'step.started'(picture, { activation, step }) {
    const one = picture.live.get(activation);
    if (one === undefined) return;
    // A step with a different request voids all later steps of the attempt.
    releaseReserved(picture, one, step);
    if (one.state !== 'working') enterState(picture, activation, 'working');
  },
  'step.completed': charge,
};

/** Limits the spending of a run from here on; previous spending counts. */
export function limitSpending(picture: Picture, limit: NonNullable<Applied['budget']>): void {
  picture.budget ??= {
    limit,
    spent: { tokens: tokensOf(picture.usage), microUsd: picture.usage.microUsd ?? 0 },
    reserved: nothing,
    lost: nothing,
  };
  picture.budget.limit = limit;
}

function charge(picture: Picture, { activation, step, usage, charge: charged = nothing, ...place }: Applied): void {
  const { budget } = picture;
  const one = picture.live.get(activation);
  const reserved = one?.reserved.get(step) ?? nothing;
  one?.reserved.delete(step);
  if (budget !== undefined) {
    budget.spent = plus(budget.spent, charged);
    budget.reserved = minus(budget.reserved, reserved);
  }
  if (usage === undefined) return;
  picture.usage = withCall(picture.usage, usage);
  const path = pathOf(place);
  picture.usageByNode.set(path, withCall(picture.usageByNode.get(path) ?? noUsage, usage));
  if (one === undefined) return;
  const facts = factsOf(picture, placeOf(one.graph, one.node));
  facts.microUsd += usage.microUsd ?? 0;
  facts.tokens += tokensOf(usage);
}

/** Returns the path of the node that an event names. */
const pathOf = ({ graph, nodeId = '' }: Pick<Applied, 'graph' | 'nodeId'>): string =>
  graph === '' ? nodeId : `${graph}/${nodeId}`;
