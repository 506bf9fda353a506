import type { Run } from '@millrace/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Segmented } from '../kit/controls/segmented.tsx';
import { Toolbar } from '../kit/layout/toolbar.tsx';
import { Empty } from '../kit/states/empty.tsx';
import { formatCount } from '../kit/values/format.ts';
import { PairDrawer } from './pair-drawer.tsx';
import { PairTable } from './pair-table.tsx';
import type { Pair } from './pairs.ts';

/** Number of common activations above which they are folded by default. */
const mostUnfolded = 20;

interface PairListProps {
  readonly runA: Run;
  readonly runB: Run;
  readonly pairs: readonly Pair[];
}

/** The activations of two runs in pairs, and the texts of one pair in a drawer. */
export function PairList({ runA, runB, pairs }: PairListProps) {
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
