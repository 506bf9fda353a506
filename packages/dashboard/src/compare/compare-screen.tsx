import type { Run } from '@millrace/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeftRight } from 'lucide-react';
import { lazy, Suspense, useMemo } from 'react';
import { Segmented } from '../kit/controls/choices.tsx';
import { Screen, Toolbar } from '../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { formatCount } from '../kit/values/format.ts';
import { useTimeline } from '../run/activations/use-timeline.ts';
import { useRun } from '../run/follow/run-queries.ts';
import { useFollowedRun } from '../run/follow/use-followed-run.ts';
import { compareViews } from './compare-search.ts';
import { PairDrawer } from './pair-drawer.tsx';
import { PairTable } from './pair-table.tsx';
import type { Pair } from './pairs.ts';
import { pairsOf } from './pairs.ts';
import { Totals } from './totals.tsx';

const ComparedGraph = lazy(async () => ({ default: (await import('./compared-graph.tsx')).ComparedGraph }));
const ComparedSettings = lazy(async () => ({
  default: (await import('./compared-settings.tsx')).ComparedSettings,
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
        <p role="note" className="spaced">
          These are runs of different workflows: {runA.workflow} and {runB.workflow}. Nodes with the same ids are
          paired.
        </p>
      )}
      <p className="spaced">
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

/** Number of common activations above which they are folded by default. */
const mostUnfolded = 20;

interface PairListProps {
  readonly runA: Run;
  readonly runB: Run;
  readonly pairs: readonly Pair[];
}

/** The activations of two runs in pairs, and the texts of one pair in a drawer. */
function PairList({ runA, runB, pairs }: PairListProps) {
  const { only, common, a, b } = useSearch({ from: '/runs/$run/compare/$other' });
  const navigate = useNavigate({ from: '/runs/$run/compare/$other' });
  const change = (changed: object) => void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const inCommon = pairs.filter(({ isCommon }) => isCommon).length;
  const isFolded = common === undefined ? inCommon > mostUnfolded : common === 'folded';
  const shown = pairs.filter(
    ({ isCommon, verdict }) => !(isCommon && isFolded) && (only === undefined || verdict !== 'same'),
  );
  const at = shown.findIndex((pair) => pair.a?.id === a && pair.b?.id === b);
  const open = (a ?? b) === undefined ? undefined : pairs.find((pair) => pair.a?.id === a && pair.b?.id === b);
  const show = (pair: Pair | undefined) => change({ a: pair?.a?.id, b: pair?.b?.id });
  return (
    <>
      <Toolbar>
        <Segmented
          label="Pairs that are shown"
          options={{ all: 'All', differences: 'Differences' }}
          value={only ?? 'all'}
          choose={(value) => change({ only: value === 'all' ? undefined : value })}
        />
        {inCommon > 0 && (
          <button
            type="button"
            className="button"
            aria-expanded={!isFolded}
            onClick={() => change({ common: isFolded ? 'shown' : 'folded' })}
          >
            {isFolded ? '▸' : '▾'} {formatCount(inCommon)} {inCommon === 1 ? 'activation' : 'activations'} in common
          </button>
        )}
      </Toolbar>
      {shown.length === 0 ? (
        <Empty title={pairs.length === 0 ? 'No node has run yet.' : 'No activation differs.'} />
      ) : (
        <PairTable pairs={shown} open={open} show={show} />
      )}
      {open !== undefined && (
        <PairDrawer
          runA={runA.runId}
          runB={runB.runId}
          pair={open}
          show={show}
          before={shown[at - 1]}
          after={at < 0 ? undefined : shown[at + 1]}
        />
      )}
    </>
  );
}
