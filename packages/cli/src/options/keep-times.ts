import type { EndedStatus, Keep } from '@millrace/runtime';
import { durationIn } from './duration-argument.ts';

const statuses: Readonly<Record<string, EndedStatus>> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  terminated: 'terminated',
};

/** Parses retention times of ended runs, as in `completed=7d,failed=30d`; undefined if the text is invalid. */
export function parseKeep(text: string): Keep | undefined {
  const keep: Partial<Record<EndedStatus, number>> = {};
  for (const part of text.split(',')) {
    const [name = '', duration = ''] = part.split('=').map((side) => side.trim());
    const status = Object.hasOwn(statuses, name) ? statuses[name] : undefined;
    const keptMs = durationIn(duration);
    if (status === undefined || keptMs === undefined || status in keep) return undefined;
    keep[status] = keptMs;
  }
  return keep;
}
