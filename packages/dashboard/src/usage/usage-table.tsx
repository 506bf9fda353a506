import type { UsageLine, UsageReport } from '@millrace/client';
import type { ReactNode } from 'react';
import { formatCount, formatMoney } from '../kit/values/format.ts';
import classes from './usage.module.css';

type Numbers = UsageReport['total'];

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

/** Usage as a table, with the sum as its last row. */
export function UsageTable({ name, head, lines, rowName, keyOf, total, hasRuns = true }: UsageTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the page is scrolled with the keyboard
    <section className={classes['wide']} aria-label={`${name}, scrollable`} tabIndex={0}>
      <table className={classes['table']} aria-label={name}>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            <th scope="col">Cost</th>
            <th scope="col">Calls</th>
            <th scope="col">In</th>
            <th scope="col">Cached</th>
            <th scope="col">Out</th>
            <th scope="col">No price</th>
            {hasRuns && (
              <>
                <th scope="col">Runs</th>
                <th scope="col">Failed</th>
                <th scope="col">Stopped by budget</th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={keyOf(line)}>
              <th scope="row">{rowName(line)}</th>
              <Cells numbers={line} hasRuns={hasRuns} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            <Cells numbers={total} hasRuns={hasRuns} />
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

const Cells = ({ numbers, hasRuns }: { readonly numbers: Numbers; readonly hasRuns: boolean }) => (
  <>
    <td>{formatMoney(numbers.microUsd)}</td>
    <td>{formatCount(numbers.calls)}</td>
    <td>{formatCount(numbers.promptTokens)}</td>
    <td>{formatCount(numbers.cachedTokens)}</td>
    <td>{formatCount(numbers.completionTokens)}</td>
    <td>{formatCount(numbers.unpriced)}</td>
    {hasRuns && (
      <>
        <td>{formatCount(numbers.runs)}</td>
        <td>{formatCount(numbers.failed)}</td>
        <td>{formatCount(numbers.budgetStopped)}</td>
      </>
    )}
  </>
);
