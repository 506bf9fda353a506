import type { Run } from '@millrace/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeftRight } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { Segmented } from '../kit/controls/segmented.tsx';
import { Screen } from '../kit/layout/screen.tsx';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { useFollowedRun } from '../run/follow/use-followed-run.ts';
import { useTimeline } from '../run/timeline/use-timeline.ts';
import { useRun } from '../run/use-run.ts';
import classes from './compare.module.css';
import { compareViews } from './compare-place.ts';
import { PairList } from './pair-list.tsx';
import { pairsOf } from './pairs.ts';
import { Totals } from './totals.tsx';

const ComparedGraph = lazy(async () => ({ default: (await import('./graph/compared-graph.tsx')).ComparedGraph }));
const ComparedSettings = lazy(async () => ({
  default: (await import('./settings/compared-settings.tsx')).ComparedSettings,
}));

/** Two runs side by side: their costs, their activations in pairs, their graph and their settings. */
export function CompareScreen() {
  const { run: idA, other: idB } = useParams({ from: '/runs/$run/compare/$other' });
  const { data: runA, error: errorA, refetch: reloadA } = useRun(idA);
  const { data: runB, error: errorB, refetch: reloadB } = useRun(idB);
  useFollowedRun(runA?.runId);
  useFollowedRun(runB?.runId);
  return (
    <Screen
      title="Compare"
      actions={
        <Link className="button" to="/runs/$run/compare/$other" params={{ run: idB, other: idA }}>
          <ArrowLeftRight aria-hidden size={14} /> Swap A and B
        </Link>
      }
    >
      {errorA !== null && <Problem error={errorA} retry={() => void reloadA()} />}
      {errorB !== null && <Problem error={errorB} retry={() => void reloadB()} />}
      {runA !== undefined && runB !== undefined ? (
        <Compared runA={runA} runB={runB} />
      ) : (
        errorA === null && errorB === null && <Skeleton rows={8} />
      )}
    </Screen>
  );
}

function Compared({ runA, runB }: { readonly runA: Run; readonly runB: Run }) {
  const { view = 'steps' } = useSearch({ from: '/runs/$run/compare/$other' });
  const navigate = useNavigate({ from: '/runs/$run/compare/$other' });
  const { data: rowsA, error: errorA, refetch: reloadA } = useTimeline(runA.runId, { withTexts: true });
  const { data: rowsB, error: errorB, refetch: reloadB } = useTimeline(runB.runId, { withTexts: true });
  // Pairs change when rows do, not with each look at the runs.
  // biome-ignore lint/correctness/useExhaustiveDependencies: id, start and origin of a run never change
  const pairs = useMemo(
    () =>
      rowsA === undefined || rowsB === undefined
        ? undefined
        : pairsOf({ run: runA, rows: rowsA }, { run: runB, rows: rowsB }),
    [rowsA, rowsB, runA.runId, runB.runId],
  );
  const error = errorA ?? errorB;
  return (
    <>
      <Totals runA={runA} runB={runB} pairs={pairs} />
      {runA.workflow !== runB.workflow && (
        <p role="note" className={classes['views']}>
          These are runs of different workflows: {runA.workflow} and {runB.workflow}. Nodes with the same ids are
          paired.
        </p>
      )}
      <p className={classes['views']}>
        <Segmented
          label="View of the comparison"
          options={compareViews}
          value={view}
          choose={(to) =>
            void navigate({ search: (before) => ({ ...before, view: to, a: undefined, b: undefined }), replace: true })
          }
        />
      </p>
      <Suspense fallback={<Skeleton rows={8} />}>
        {view === 'settings' ? (
          <ComparedSettings runA={runA} runB={runB} />
        ) : error !== null ? (
          <Problem
            error={error}
            retry={() => {
              void reloadA();
              void reloadB();
            }}
          />
        ) : pairs === undefined ? (
          <Skeleton rows={8} />
        ) : view === 'graph' ? (
          <ComparedGraph runA={runA} runB={runB} pairs={pairs} />
        ) : (
          <PairList runA={runA} runB={runB} pairs={pairs} />
        )}
      </Suspense>
    </>
  );
}
