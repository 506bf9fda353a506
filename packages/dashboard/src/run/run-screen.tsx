import { Link, Outlet, useMatchRoute, useParams } from '@tanstack/react-router';
import { Screen } from '../kit/layout/screen.tsx';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { OpenQuestions } from './open-questions.tsx';
import { RunActions } from './run-actions.tsx';
import { RunHead } from './run-head.tsx';
import classes from './run-screen.module.css';
import { tabs } from './tabs.ts';
import { useRun } from './use-run.ts';

/** One run: its head with status, money and actions, and the tabs that show it from different sides. */
export function RunScreen() {
  const { run: id } = useParams({ from: '/runs/$run' });
  const { data: run, error, refetch } = useRun(id);
  // The graph shows questions beside itself.
  const isGraph = useMatchRoute()({ to: '/runs/$run/graph' }) !== false;
  return (
    <Screen title={run?.title ?? run?.workflow ?? id} actions={run === undefined ? null : <RunActions run={run} />}>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {run === undefined && error === null && <Skeleton rows={4} />}
      {run !== undefined && (
        <>
          <RunHead run={run} />
          {!isGraph && <OpenQuestions run={run} answered={() => void refetch()} />}
          <nav className={classes['tabs']} aria-label="Views of the run">
            {tabs.map((tab) => (
              <Link key={tab} to={`/runs/$run/${tab}`} params={{ run: id }} className={classes['tab']}>
                {tab}
              </Link>
            ))}
          </nav>
          <Outlet />
        </>
      )}
    </Screen>
  );
}
