import type { ModelUsage } from '@millrace/client';
import { formatCounted, formatMoney } from './format.ts';

/** Returns the calls whose results a replay took from its recording, and what they had cost there. */
export const recordedText = ({ calls, microUsd }: ModelUsage): string =>
  `${formatCounted(calls, 'call')} from the recording${microUsd === undefined ? '' : ` (${formatMoney(microUsd)})`}, not charged`;
