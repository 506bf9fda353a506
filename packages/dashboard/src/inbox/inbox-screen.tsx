import { Link, Outlet, useParams } from '@tanstack/react-router';
import { Screen } from '../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import classes from './inbox.module.css';
import { useTasks } from './use-tasks.ts';

/** The open questions of all runs, with the one that is being answered beside them. */
export function InboxScreen() {
  const { task: chosen } = useParams({ strict: false });
  const { data, error, hasNextPage, fetchNextPage, refetch } = useTasks();
  const tasks = data?.pages.flatMap((page) => page.data);
  const count = tasks === undefined || tasks.length === 0 ? '' : `(${tasks.length}) `;
  return (
    <Screen title="Inbox" documentTitle={`${count}Inbox`}>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {tasks === undefined && error === null && <Skeleton rows={6} />}
      {tasks?.length === 0 && chosen === undefined && (
        <Empty title="Nobody is asked anything.">
          <p>Questions of human nodes appear here while their runs wait.</p>
        </Empty>
      )}
      {tasks !== undefined && (tasks.length > 0 || chosen !== undefined) && (
        <div className={classes['inbox']} data-chosen={chosen !== undefined}>
          <nav className={classes['list']} aria-label="Open questions">
            <ul>
              {tasks.map(({ id, node, workflow, prompt, assignee }) => (
                <li key={id}>
                  <Link to="/inbox/$task" params={{ task: id }} className={classes['line']}>
                    <strong>
                      {node} · {workflow}
                    </strong>
                    <span>{prompt}</span>
                    {assignee !== undefined && <small>claimed by {assignee}</small>}
                  </Link>
                </li>
              ))}
            </ul>
            {hasNextPage && (
              <button type="button" className="button" onClick={() => void fetchNextPage()}>
                Load more questions
              </button>
            )}
          </nav>
          <Outlet />
        </div>
      )}
    </Screen>
  );
}
