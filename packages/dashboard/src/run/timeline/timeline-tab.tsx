import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { hasEnded } from '../../activations/has-ended.ts';
import type { TimelineRow } from '../../activations/timeline-row.ts';
import { spanOf } from '../../activations/timeline-row.ts';
import { Segmented } from '../../kit/controls/choices.tsx';
import { Toolbar } from '../../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { formatCount, formatCounted } from '../../kit/values/format.ts';
import { useServerNow } from '../../kit/values/time.tsx';
import { ActivationDrawer } from '../activations/activation-drawer.tsx';
import { MissingRows } from '../activations/missing-rows.tsx';
import { useTimeline } from '../activations/use-timeline.ts';
import { useRun } from '../follow/run-queries.ts';
import { criticalPath } from './critical-path.ts';
import { linesOf } from './timeline-lines.ts';
import type { TimelineSearch } from './timeline-search.ts';
import { TimelineTable } from './timeline-table.tsx';

/** Each activation of a run as a bar: outlined in the queue, filled while it executes, hatched while it waits for a person. */
export function TimelineTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const search = useSearch({ from: '/runs/$run/timeline' });
  const navigate = useNavigate({ from: '/runs/$run/timeline' });
  const { data: rows, missing, loadMore, error, refetch } = useTimeline(run);
  const { data: facts } = useRun(run);
  const ticking = useServerNow();
  const now = facts !== undefined && hasEnded(facts) ? (facts.finishedAt ?? ticking) : ticking;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const shown = useShown(rows, search, now);
  const whole = useMemo(() => rows && spanOf(rows, now), [rows, now]);
  const lines = useMemo(() => linesOf(shown, { by: search.by ?? 'order', toggled }), [shown, search.by, toggled]);
  if (error !== null && rows === undefined) return <Problem error={error} retry={() => void refetch()} />;
  if (rows === undefined) return <Skeleton rows={8} />;
  if (whole === undefined) return <Empty title="No node has run yet." />;
  const change = (changed: TimelineSearch) =>
    void navigate({ search: (before) => defined({ ...before, ...changed }), replace: true });
  return (
    <>
      <Problem error={error} retry={() => void refetch()} />
      <TimelineToolbar rows={rows} search={search} change={change} />
      <MissingRows missing={missing} loadMore={loadMore} />
      {shown.length === 0 ? (
        <Empty title={search.failed ? 'No activation of this run has failed.' : 'No activation is shown.'}>
          <button type="button" className="button" onClick={() => change({ failed: undefined, critical: undefined })}>
            Clear all filters
          </button>
        </Empty>
      ) : (
        <TimelineTable
          run={run}
          rows={shown}
          lines={lines}
          whole={whole}
          now={now}
          search={search}
          change={change}
          toggle={(key) => setToggled((before) => (before.has(key) ? without(before, key) : new Set([...before, key])))}
        />
      )}
      {search.a !== undefined && (
        <ActivationDrawer
          run={run}
          activation={search.a}
          show={(a) => change({ a })}
          before={neighbour(shown, search.a, -1)}
          after={neighbour(shown, search.a, 1)}
        />
      )}
    </>
  );
}

function neighbour(rows: readonly TimelineRow[], id: string, by: 1 | -1): string | undefined {
  const at = rows.findIndex((row) => row.id === id);
  return at < 0 ? undefined : rows[at + by]?.id;
}

/** Returns the rows that the filters of a place leave. */
function useShown(rows: readonly TimelineRow[] | undefined, { failed, critical }: TimelineSearch, now: number) {
  // The path changes when rows do, not with each second.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  return useMemo((): readonly TimelineRow[] => {
    if (rows === undefined) return [];
    const path = critical === true ? criticalPath(rows, now) : undefined;
    return rows.filter(({ id, state }) => (failed !== true || state === 'failed') && path?.has(id) !== false);
  }, [rows, failed, critical]);
}

const without = (keys: ReadonlySet<string>, gone: string): ReadonlySet<string> =>
  new Set([...keys].filter((key) => key !== gone));

/** Omits undefined values, so that they are not in the address. */
const defined = <Value extends object>(value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Value; // fewer optional fields

interface TimelineToolbarProps {
  readonly rows: readonly TimelineRow[];
  readonly search: TimelineSearch;
  readonly change: (changed: TimelineSearch) => void;
}

/** Arrangement and filters of a timeline. */
function TimelineToolbar({ rows, search: place, change }: TimelineToolbarProps) {
  const failures = rows.filter(({ state }) => state === 'failed').length;
  return (
    <Toolbar end={formatCounted(rows.length, 'activation')}>
      <Segmented
        label="Arrangement"
        options={{ order: 'By order', node: 'By node', iteration: 'By iteration' }}
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
