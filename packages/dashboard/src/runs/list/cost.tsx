import type { RunLine } from '@millrace/client';
import { formatCount, formatMoney } from '../../kit/values/format.ts';
import classes from './cost.module.css';

/** Cost of a run, and its share of the budget. */
export function Cost({ run: { usage, budget } }: { readonly run: RunLine }) {
  const spent = usage?.microUsd;
  const share = budget === undefined ? undefined : shareOf(budget);
  return (
    <span className={classes['cost']}>
      <span>{spent === undefined ? '–' : formatMoney(spent)}</span>
      {share !== undefined && (
        <span className={classes['bar']} role="img" aria-label={share.text} title={share.text}>
          <span style={{ width: `${share.percent}%` }} />
        </span>
      )}
    </span>
  );
}

function shareOf({ limit, spent }: NonNullable<RunLine['budget']>) {
  const { microUsd, tokens } = limit;
  if (microUsd !== undefined)
    return { percent: percentOf(spent.microUsd, microUsd), text: `of ${formatMoney(microUsd)}` };
  if (tokens === undefined) return undefined;
  return {
    percent: percentOf(spent.tokens, tokens),
    text: `${formatCount(spent.tokens)} of ${formatCount(tokens)} tokens`,
  };
}

const percentOf = (part: number, whole: number): number => Math.min(100, (100 * part) / Math.max(1, whole));
