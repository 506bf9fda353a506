import { useEffect, useState } from 'react';
import { onTenantEvents } from '../../api/tenant-events.ts';
import { formatCount, formatCounted } from '../../kit/values/format.ts';
import classes from './fork-dialog.module.css';

/** Returns the id of a run that is about to be made of another one: its progress is known by it, and the same request twice makes one run. */
export const newRunId = (): string => `run_${crypto.randomUUID().replaceAll('-', '')}`;

/** Shows how much of the history of a long run is copied for a fork or a replay; nothing while nothing is copied. */
export function CopyProgress({ run }: { readonly run: string }) {
  const [copied, setCopied] = useState<{ readonly run: string; readonly done: number; readonly total: number }>();
  useEffect(
    () =>
      onTenantEvents((events) => {
        for (const event of events)
          if (event.type === 'progress' && event.runId === run)
            setCopied({ run, done: event.done, total: event.total });
      }),
    [run],
  );
  if (copied?.run !== run) return null;
  const { done, total } = copied;
  return (
    <div className={`${classes['copied']} stack`}>
      <progress max={total} value={done} aria-label="Progress" />
      <p role="status">
        Copied {formatCount(done)} of {formatCounted(total, 'activation')}.
      </p>
    </div>
  );
}
