import { formatCount } from '../../kit/values/format.ts';

interface MissingRowsProps {
  /** Number of activations that are not loaded. */
  readonly missing: number;
  /** Absent while some are being loaded. */
  readonly loadMore: (() => void) | undefined;
}

/** Says how many activations of a run are not loaded, with a button that loads more of them. */
export function MissingRows({ missing, loadMore }: MissingRowsProps) {
  if (missing === 0) return null;
  return (
    <p className="spaced row wrap muted small">
      <span>{formatCount(missing)} more activations are not loaded; those that have failed are listed.</span>
      <button type="button" className="button" disabled={loadMore === undefined} onClick={loadMore}>
        {loadMore === undefined ? 'Loading …' : 'Load more'}
      </button>
    </p>
  );
}
