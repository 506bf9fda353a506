import type { Run } from '@millrace/client';
import classes from './budget-bar.module.css';
import { formatCount, formatMoney } from './format.ts';

/** A budget as a bar: spent, reserved for calls under way, and left. */
export function BudgetBar({ budget }: { readonly budget: NonNullable<Run['budget']> }) {
  const { limit, spent, reserved } = budget;
  const unit = limit.microUsd === undefined ? 'tokens' : 'microUsd';
  const most = limit[unit];
  if (most === undefined) return null;
  const share = (amount: number) => `${Math.min(100, (100 * amount) / Math.max(1, most))}%`;
  const written = unit === 'tokens' ? formatCount : formatMoney;
  const text = `${written(spent[unit])} of ${written(most)}${unit === 'tokens' ? ' tokens' : ''}`;
  return (
    <span className={`${classes['budget']} inline`} title={`${text} spent, ${written(reserved[unit])} reserved`}>
      <span className={`${classes['bar']} meter`} aria-hidden>
        <span className={classes['spent']} style={{ width: share(spent[unit]) }} />
        <span className={classes['reserved']} style={{ width: share(reserved[unit]) }} />
      </span>
      {text}
    </span>
  );
}
