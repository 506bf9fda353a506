import type { TaskDetail } from '@millrace/client';
import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Segmented } from '../kit/controls/segmented.tsx';
import { Screen } from '../kit/layout/screen.tsx';
import { useShortcut } from '../kit/shortcuts/use-shortcut.ts';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { Age } from '../kit/values/time.tsx';
import classes from './inbox.module.css';
import type { InboxTab } from './use-tasks.ts';
import { useTaskCounts, useTasks } from './use-tasks.ts';

const emptyTitles: Readonly<Record<InboxTab, string>> = {
  open: 'Nobody is asked anything.',
  mine: 'You have claimed no question.',
  all: 'Nobody is asked anything.',
};

/** The questions of all runs, with the one that is being answered beside them. */
export function InboxScreen() {
  const { task: chosen } = useParams({ strict: false });
  const { tab = 'open' } = useSearch({ from: '/inbox' });
  const navigate = useNavigate();
  const { data, error, hasNextPage, fetchNextPage, refetch } = useTasks(tab);
  const tasks = data?.pages.flatMap((page) => page.data);
  useMovement(tasks ?? [], chosen);
  return (
    <Screen
      title="Inbox"
      actions={
        <Tabs tab={tab} choose={(one) => void navigate({ to: '/inbox', search: one === 'open' ? {} : { tab: one } })} />
      }
    >
      <Announcement count={tasks?.length} />
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {tasks === undefined && error === null && <Skeleton rows={6} />}
      {tasks?.length === 0 && chosen === undefined && (
        <Empty title={emptyTitles[tab]}>
          <p>Questions of human nodes appear here while their runs wait.</p>
        </Empty>
      )}
      {tasks !== undefined && (tasks.length > 0 || chosen !== undefined) && (
        <div className={classes['inbox']} data-chosen={chosen !== undefined}>
          <nav className={classes['list']} aria-label="Questions">
            <ul>
              {tasks.map((task) => (
                <Line key={task.id} task={task} tab={tab} />
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

function Tabs({ tab, choose }: { readonly tab: InboxTab; readonly choose: (tab: InboxTab) => void }) {
  const { data } = useTaskCounts();
  const more = data?.capped === true ? '+' : '';
  const named = (words: string, count = 0) => (count === 0 ? words : `${words} ${count}${more}`);
  const total = (data?.open ?? 0) + (data?.claimed ?? 0);
  const options = { open: named('open', data?.open), mine: named('mine', data?.mine), all: named('all', total) };
  return <Segmented label="Questions" options={options} value={tab} choose={choose} />;
}

function Line({ task, tab }: { readonly task: TaskDetail; readonly tab: InboxTab }) {
  const { id, node, workflow, prompt, assignee, askedAt, title } = task;
  return (
    <li>
      <Link to="/inbox/$task" params={{ task: id }} search={tab === 'open' ? {} : { tab }} className={classes['line']}>
        <strong>
          {node} · {workflow}
        </strong>
        <span>{prompt === '' ? title : prompt}</span>
        {title !== undefined && prompt !== '' && <em>{title}</em>}
        <small>
          {askedAt !== undefined && <Age at={askedAt} />}
          {assignee === undefined ? ' · open' : ` · claimed by ${assignee}`}
        </small>
      </Link>
    </li>
  );
}

/** Moves through the list, and claims the question that is shown, by keys. */
function useMovement(tasks: readonly TaskDetail[], chosen: string | undefined): void {
  const navigate = useNavigate();
  const { tab } = useSearch({ from: '/inbox' });
  const move = (by: number) => {
    const at = tasks.findIndex(({ id }) => id === chosen);
    const to = tasks[at < 0 ? 0 : Math.min(Math.max(at + by, 0), tasks.length - 1)];
    if (to === undefined) return;
    void navigate({ to: '/inbox/$task', params: { task: to.id }, search: tab === undefined ? {} : { tab } });
  };
  useShortcut('next', () => move(1));
  useShortcut('previous', () => move(-1));
  useShortcut('claim', () => document.querySelector<HTMLButtonElement>('button[data-claim]')?.click());
  useShortcut('answer', () => document.querySelector<HTMLTextAreaElement>('article textarea')?.focus());
}

/** Says that questions have come, to those who do not see the list. */
function Announcement({ count }: { readonly count: number | undefined }) {
  const [known, setKnown] = useState(count);
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (count === undefined || count === known) return;
    if (known !== undefined && count > known) {
      const more = count - known;
      setSaid(more === 1 ? 'One more question waits for an answer.' : `${more} more questions wait for answers.`);
    }
    setKnown(count);
  }, [count, known]);
  return (
    <p className="visually-hidden" role="status">
      {said}
    </p>
  );
}
