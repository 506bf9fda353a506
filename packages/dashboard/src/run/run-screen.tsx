import { Link, Outlet, useParams } from '@tanstack/react-router';
import { QuestionArticle } from '../inbox/question-article.tsx';
import { Screen } from '../kit/layout/screen.tsx';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { RunActions } from './run-actions.tsx';
import { RunHead } from './run-head.tsx';
import classes from './run-screen.module.css';
import { tabs } from './tabs.ts';
import { useRun } from './use-run.ts';

/** Questions that a run shows itself; the inbox has the others. */
const mostQuestions = 3;

/** One run: its head with status, money and actions, and the tabs that show it from different sides. */
export function RunScreen() {
  const { run: id } = useParams({ from: '/runs/$run' });
  const { data: run, error, refetch } = useRun(id);
  return (
    <Screen title={run?.title ?? run?.workflow ?? id} actions={run === undefined ? null : <RunActions run={run} />}>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {run === undefined && error === null && <Skeleton rows={4} />}
      {run !== undefined && (
        <>
          <RunHead run={run} />
          {run.tasks.length > 0 && (
            <section className={classes['questions']} aria-label="Open questions">
              {run.tasks.slice(0, mostQuestions).map((task) => (
                <QuestionArticle key={task.id} task={task} answered={() => void refetch()} />
              ))}
              {run.tasks.length > mostQuestions && <Link to="/inbox">{run.tasks.length} questions in all: inbox</Link>}
            </section>
          )}
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
