import type { ActivationId } from '../../model/ids.ts';
import type { Amount, Budget } from '../../model/usage/budget.ts';

/** Events of the budget of a run. */
export type BudgetEvent =
  /** The limits of the run from here on; they include what it has spent. */
  | { readonly type: 'run.budgeted'; readonly budget: Budget }
  /** The next call of the activation does not fit the budget now; the activation continues when there is room. */
  | { readonly type: 'activation.short'; readonly activation: ActivationId; readonly need: Amount }
  /** The budget has room for the call of an activation that was short. */
  | { readonly type: 'activation.funded'; readonly activation: ActivationId; readonly token: string }
  /** The worst case of the call is reserved. */
  | {
      readonly type: 'step.reserved';
      readonly activation: ActivationId;
      readonly step: number;
      readonly amount: Amount;
    }
  /** The outcome of the call will never be known: its reservation counts as spent. */
  | { readonly type: 'step.lost'; readonly activation: ActivationId; readonly step: number };
