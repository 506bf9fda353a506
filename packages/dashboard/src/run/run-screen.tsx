import type { Run } from '@millrace/client';
import { Link, Outlet, useMatchRoute, useNavigate, useParams } from '@tanstack/react-router';
import { useOfferedCommands } from '../kit/commands/commands.ts';
import { showCurrent } from '../kit/controls/tab-links.tsx';
import { Screen } from '../kit/layout/screen.tsx';
import tabClasses from '../kit/layout/view-tabs.module.css';
import { useShortcut } from '../kit/shortcuts/shortcuts.ts';
import { Skeleton } from '../kit/states/empty.tsx';
import { isGone, isUnreached, Problem } from '../kit/states/problem.tsx';
import { FoldedQuestions } from '../questions/open-questions.tsx';
import { RunActions } from './actions/run-actions.tsx';
import { useRun } from './follow/run-queries.ts';
import { useFollowedRun } from './follow/use-followed-run.ts';
import { LastRunHead, RunHead } from './run-head.tsx';

/** One run: its head with status, money and actions, and the tabs that show it from different sides. */
export function RunScreen() {
  const { run: id } = useParams({ from: '/runs/$run' });
  const { data: run, error, refetch } = useRun(id);
  const isRemoved = run !== undefined && isGone(error);
  const hasProblem = error !== null && (run === undefined || !(isRemoved || isUnreached(error)));
  useFollowedRun(isRemoved ? undefined : run?.runId);
  // The graph shows questions beside itself.
  const isGraph = useMatchRoute()({ to: '/runs/$run/graph' }) !== false;
  const navigate = useNavigate();
  useShortcut('tab', (key) => {
    const tab = tabs[Number(key) - 1];
    if (tab !== undefined) void navigate({ to: `/runs/$run/${tab}`, params: { run: id } });
  });
  useComparison(id, sourceOf(run));
  return (
    <Screen
      title={run?.title ?? run?.workflow ?? id}
      actions={run === undefined || isRemoved ? null : <RunActions run={run} />}
    >
      {isRemoved && <RemovedRun run={run} error={error} retry={() => void refetch()} />}
      {hasProblem && <Problem error={error} retry={() => void refetch()} />}
      {run === undefined && error === null && <Skeleton rows={4} />}
      {run !== undefined && !isRemoved && (
        <>
          <RunHead run={run} />
          {!isGraph && <FoldedQuestions run={run} answered={() => void refetch()} />}
          <nav className={`${tabClasses['tabs']} scrolled`} aria-label="Views of the run">
            {tabs.map((tab) => (
              <Link
                key={tab}
                ref={showCurrent}
                to={`/runs/$run/${tab}`}
                params={{ run: id }}
                className={`${tabClasses['tab']} inline muted strong nowrap`}
              >
                {tab === 'yaml' ? 'YAML' : tab}
              </Link>
            ))}
          </nav>
          <Outlet />
        </>
      )}
    </Screen>
  );
}

/** Adds the comparison of a run with its origin to the palette and the shortcuts. */
function useComparison(run: string, source: string | undefined): void {
  const navigate = useNavigate();
  const compare = () => void navigate({ to: '/runs/$run/compare/$other', params: { run: source ?? '', other: run } });
  useShortcut('compare', compare, source !== undefined);
  useOfferedCommands(
    source === undefined ? [] : [{ id: 'compare', title: 'Compare with the run that it comes from', act: compare }],
  );
}

/** Returns the origin of a replay or a fork. */
const sourceOf = (run: Run | undefined): string | undefined =>
  run?.origin?.type === 'replay' || run?.origin?.type === 'fork' ? run.origin.of : undefined;

interface RemovedRunProps {
  readonly run: Run;
  readonly error: unknown;
  readonly retry: () => void;
}

/** A run that was removed while the page showed it: the facts that the page last loaded, without actions and views. */
const RemovedRun = ({ run, error, retry }: RemovedRunProps) => (
  <>
    <Problem error={error} retry={retry} />
    <p className="spaced">
      This run was removed with its journal and files while this page was open. The facts below are the last that the
      page loaded. <Link to="/runs">Show all runs</Link>
    </p>
    <LastRunHead run={run} />
  </>
);

/** Tabs of a run, in their order; each is the last part of an address. */
const tabs = ['graph', 'timeline', 'activations', 'conversation', 'journal', 'files', 'money', 'yaml'] as const;
