import { Segmented } from '../../kit/controls/segmented.tsx';
import { Toolbar } from '../../kit/layout/toolbar.tsx';
import { formatCount, formatCounted } from '../../kit/values/format.ts';
import type { TimelinePlace } from './timeline-place.ts';
import type { TimelineRow } from './timeline-row.ts';

interface TimelineToolbarProps {
  readonly rows: readonly TimelineRow[];
  readonly place: TimelinePlace;
  readonly change: (changed: TimelinePlace) => void;
}

/** Arrangement and filters of a timeline. */
export function TimelineToolbar({ rows, place, change }: TimelineToolbarProps) {
  const failures = rows.filter(({ state }) => state === 'failed').length;
  return (
    <Toolbar end={formatCounted(rows.length, 'activation')}>
      <Segmented
        label="Arrangement"
        options={{ order: 'By order', node: 'By node', turn: 'By turn' }}
        value={place.by ?? 'order'}
        choose={(by) => change({ by: by === 'order' ? undefined : by })}
      />
      <button
        type="button"
        className="button"
        aria-pressed={place.failed === true}
        onClick={() => change({ failed: place.failed === true ? undefined : true })}
      >
        Failed only{failures > 0 && ` (${formatCount(failures)})`}
      </button>
      <button
        type="button"
        className="button"
        aria-pressed={place.critical === true}
        title="Only the activations that decided when the run ended"
        onClick={() => change({ critical: place.critical === true ? undefined : true })}
      >
        Critical path
      </button>
    </Toolbar>
  );
}
