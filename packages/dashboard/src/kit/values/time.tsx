import { formatAge, formatDuration, formatMoment } from './format.ts';
import { useServerNow } from './use-now.ts';

/** The age of a time, updated every second; its title is the moment itself. */
export function Age({ at }: { readonly at: number }) {
  const now = useServerNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={formatMoment(at)}>
      {formatAge(at, now)}
    </time>
  );
}

/** The time from one moment to another, or until now. */
export function Duration({ from, to }: { readonly from: number; readonly to: number | undefined }) {
  const now = useServerNow();
  return <span title={formatMoment(from)}>{formatDuration((to ?? now) - from)}</span>;
}
