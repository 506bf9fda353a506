import type { UsageLine, UsageReport } from '@millrace/client';
import { tokensOf } from '@millrace/core/usage';
import type { ReactNode } from 'react';
import { lazy, Suspense, useMemo } from 'react';
import { formatCount, formatMoney, formatSaved } from '../kit/values/format.ts';
import type { Amount } from './stacks.ts';
import { stackColor, stacksOf } from './stacks.ts';
import classes from './usage.module.css';
import type { Part } from './usage-search.ts';

type Numbers = UsageReport['total'];

interface Column {
  readonly of: keyof Numbers;
  readonly title: string;
  /** Words with which a phone names the number. */
  readonly unit: string;
  /** Shown only where the sum is not 0. */
  readonly isRare?: true;
}

const columns: readonly Column[] = [
  { of: 'microUsd', title: 'Cost', unit: '' },
  { of: 'calls', title: 'Calls', unit: 'calls' },
  { of: 'promptTokens', title: 'In', unit: 'tokens in' },
  { of: 'cachedTokens', title: 'Cached', unit: 'cached', isRare: true },
  { of: 'cacheWriteTokens', title: 'Written', unit: 'written to caches', isRare: true },
  { of: 'savedMicroUsd', title: 'Saved', unit: 'saved by caches', isRare: true },
  { of: 'completionTokens', title: 'Out', unit: 'tokens out' },
  { of: 'reasoningTokens', title: 'Reasoning', unit: 'of reasoning', isRare: true },
  { of: 'toolRequests', title: 'Searches', unit: 'searches', isRare: true },
  { of: 'unpriced', title: 'No price', unit: 'without a price', isRare: true },
  { of: 'lostTokens', title: 'Lost tokens', unit: 'tokens of lost calls', isRare: true },
  { of: 'lostMicroUsd', title: 'Lost cost', unit: 'of lost calls', isRare: true },
];

const columnsOfRuns: readonly Column[] = [
  { of: 'runs', title: 'Runs', unit: 'runs' },
  { of: 'failed', title: 'Failed', unit: 'failed' },
  { of: 'budgetStopped', title: 'Stopped by budget', unit: 'stopped by their budget' },
];

interface UsageTableProps {
  /** Name of the table, which is also its caption. */
  readonly name: string;
  readonly head: string;
  readonly lines: readonly UsageLine[];
  readonly rowName: (line: UsageLine) => ReactNode;
  readonly keyOf: (line: UsageLine) => string;
  readonly total: Numbers;
  /** Calls of models have no runs. */
  readonly hasRuns?: boolean;
}

/**
 * Usage as a table, with the sum as its last row. On phones a row is its name and cost, and below them the other numbers with
 * their units, as far as they are not zero.
 */
export function UsageTable({ name, head, lines, rowName, keyOf, total, hasRuns = true }: UsageTableProps) {
  const shown = [...columns, ...(hasRuns ? columnsOfRuns : [])].filter(
    ({ of, isRare }) => isRare !== true || total[of] !== 0,
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the page is scrolled with the keyboard
    <section className={`${classes['wide']} scrolled panel`} aria-label={`${name}, scrollable`} tabIndex={0}>
      <table className={`${classes['table']} numbers`} aria-label={name}>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            {shown.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={keyOf(line)}>
              <th scope="row">{rowName(line)}</th>
              <Cells numbers={line} shown={shown} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            <Cells numbers={total} shown={shown} />
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

interface CellsProps {
  readonly numbers: Numbers;
  readonly shown: readonly Column[];
}

/** Formats of the numbers that are no counts. */
const formats: { readonly [Name in keyof Numbers]?: (value: number) => string } = {
  microUsd: formatMoney,
  savedMicroUsd: formatSaved,
  lostMicroUsd: formatMoney,
};

const Cells = ({ numbers, shown }: CellsProps) =>
  shown.map(({ of, unit }) => (
    <td key={of} data-unit={unit} data-zero={numbers[of] === 0}>
      {of === 'microUsd' && numbers.microUsd === 0 && numbers.unpriced > 0
        ? '–'
        : (formats[of] ?? formatCount)(numbers[of])}
    </td>
  ));

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
  const stacks = useMemo(() => {
    // What has no amount has no colour, but a chart without any amount has its days.
    const shown = by === 'day' ? lines : lines.filter((line) => amountOf(line) > 0);
    return stacksOf(shown, { by, days, amountOf });
  }, [lines, by, days, amountOf]);
  return (
    <figure
      className={`${classes['chart']} spaced panel`}
      aria-label={`${show === 'cost' ? 'Cost' : 'Tokens'} of each day`}
    >
      <Suspense fallback={null}>
        <UsageChart days={days} stacks={stacks} format={format} />
      </Suspense>
      {by !== 'day' && (
        <ul className={`${classes['legend']} row wrap muted small`} aria-label="Colours">
          {stacks.map(({ name }, at) => (
            <li key={name} className="row">
              <i style={{ background: `var(${stackColor(at)})` }} /> {name}
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
}
