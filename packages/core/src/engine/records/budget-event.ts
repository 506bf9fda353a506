import type { Amount, Budget } from '../../model/budget.ts';
import type { ActivationId } from '../../model/ids.ts';

/** What happens to the money of a run. */
export type BudgetEvent =
  /** The run may spend this much from here on, what it has spent included. */
  | { readonly type: 'run.budgeted'; readonly budget: Budget }
  /** Its next call does not fit the budget now; it goes on when there is room. */
  | { readonly type: 'activation.short'; readonly activation: ActivationId; readonly need: Amount }
  /** There is room for what it was short of. */
  | { readonly type: 'activation.funded'; readonly activation: ActivationId; readonly token: string }
  /** The worst case of the call is set aside. */
  | {
      readonly type: 'step.reserved';
      readonly activation: ActivationId;
      readonly step: number;
      readonly amount: Amount;
    }
  /** Nobody knows what became of the call: what was set aside for it counts as spent. */
  | { readonly type: 'step.lost'; readonly activation: ActivationId; readonly step: number };
