import type { ModelUsage } from '@millrace/client';
import type { ReactNode } from 'react';
import { formatCount, formatMoney } from '../../kit/values/format.ts';

interface UsageRowProps {
  readonly usage: ModelUsage;
  readonly depth: number;
  readonly children: ReactNode;
}

/** One line of a bill. */
export const UsageRow = ({ usage, depth, children }: UsageRowProps) => (
  <tr>
    <th scope="row" style={{ paddingLeft: 12 + depth * 20 }}>
      {children}
    </th>
    <td>{usage.microUsd === undefined ? '–' : formatMoney(usage.microUsd)}</td>
    <td>{formatCount(usage.calls)}</td>
    <td>{formatCount(usage.promptTokens)}</td>
    <td>{formatCount(usage.cachedTokens ?? 0)}</td>
    <td>{formatCount(usage.completionTokens)}</td>
    <td>{usage.unpriced === undefined || usage.unpriced === 0 ? '–' : formatCount(usage.unpriced)}</td>
  </tr>
);
