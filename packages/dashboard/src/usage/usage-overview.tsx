import type { UsageLine } from '@millrace/client';
import { tokensOf } from '@millrace/core/usage';
import { lazy, Suspense, useMemo } from 'react';
import { formatCount, formatMoney } from '../kit/values/format.ts';
import { stackColor } from './stack-color.ts';
import type { Amount } from './stacks.ts';
import { stacksOf } from './stacks.ts';
import classes from './usage.module.css';
import type { Part } from './usage-search.ts';

const UsageChart = lazy(async () => ({ default: (await import('./usage-chart.tsx')).UsageChart }));

const amounts = {
  cost: { of: (({ microUsd }) => microUsd) as Amount, format: formatMoney },
  tokens: {
    of: tokensOf as Amount,
    format: formatCount,
  },
} as const;

interface UsageOverviewProps {
  readonly lines: readonly UsageLine[];
  readonly by: Part;
  readonly days: readonly string[];
  readonly show: keyof typeof amounts;
}

/** Chart of the days, with its legend. */
export function UsageOverview({ lines, by, days, show }: UsageOverviewProps) {
  const { of: amountOf, format } = amounts[show];
  const stacks = useMemo(() => stacksOf(lines, { by, days, amountOf }), [lines, by, days, amountOf]);
  return (
    <figure className={`${classes['chart']} panel`} aria-label={`${show === 'cost' ? 'Cost' : 'Tokens'} of each day`}>
      <Suspense fallback={null}>
        <UsageChart days={days} stacks={stacks} format={format} />
      </Suspense>
      {by !== 'day' && (
        <ul className={`${classes['legend']} wrap muted small`} aria-label="Colours">
          {stacks.map(({ name }, at) => (
            <li key={name}>
              <i style={{ background: `var(${stackColor(at)})` }} /> {name}
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}
