import type { Batch } from '@millrace/client';
import { formatDuration, formatMoment } from '../kit/values/format.ts';
import { useServerNow } from '../kit/values/use-now.ts';
import { paceInWords } from './batch-progress.ts';
import { usePace } from './use-pace.ts';

/** Pace of a batch, and its expected end. */
export function PaceNote({ batch }: { readonly batch: Batch }) {
  const pace = usePace(batch);
  const now = useServerNow();
  if (pace === undefined) return null;
  const { endsAt } = pace;
  return (
    <span>
      {paceInWords(pace)}
      {endsAt !== undefined && (
        <span title={`Expected end: ${formatMoment(endsAt)}`}>
          , ends in about {formatDuration(Math.max(1_000, endsAt - now))}
        </span>
      )}
    </span>
  );
}
