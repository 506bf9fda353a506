import type { TaskDetail } from '@millrace/client';
import { Link, Outlet, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { FilterSelect, Segmented } from '../kit/controls/choices.tsx';
import { Screen, SkipLink } from '../kit/layout/screen.tsx';
import { useShortcut } from '../kit/shortcuts/shortcuts.ts';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { isGone, isUnreached, Problem } from '../kit/states/problem.tsx';
import { Age } from '../kit/values/time.tsx';
import { callQuestion } from '../questions/approval.ts';
import { QuestionArticle } from '../questions/question-article.tsx';
import classes from '../questions/questions.module.css';
import type { InboxSearch, InboxTab } from '../questions/use-tasks.ts';
import { parseInboxSearch, useTask, useTaskCounts, useTasks } from '../questions/use-tasks.ts';

const emptyTitles: Readonly<Record<InboxTab, string>> = {
  open: 'No questions are open.',
  mine: 'You have claimed no question.',
  all: 'No questions are open.',
};

/** The questions of all runs, with the one that is being answered beside them. */
export function InboxScreen() {
  const { task: chosen } = useParams({ strict: false });
  const search = useSearch({ from: '/inbox' });
  const navigate = useNavigate();
  const { data, error, hasNextPage, fetchNextPage, refetch } = useTasks(search);
  const tasks = data?.pages.flatMap((page) => page.data);
  useMovement(tasks ?? [], chosen);
  const go = (changed: InboxSearch) => void navigate({ to: '/inbox', search: changed });
  const isFiltered = search.workflow !== undefined;
  // The banner of the frame says that the server does not answer.
  const hasProblem = error !== null && (tasks === undefined || !isUnreached(error));
  return (
    <Screen
      title="Inbox"
      skip={<SkipLink to={['article [data-answer]', 'nav[aria-label="Questions"] a']}>Skip to the question</SkipLink>}
      actions={
        <div className={`${classes['filters']} row wrap`} data-chosen={chosen !== undefined}>
          <WorkflowFilter search={search} go={go} />
          <Tabs search={search} go={go} />
        </div>
      }
    >
      <Announcement count={tasks?.length} />
      {hasProblem && <Problem error={error} retry={() => void refetch()} />}
      {tasks === undefined && error === null && <Skeleton rows={6} />}
      {tasks?.length === 0 && chosen === undefined && (
        <Empty
          title={isFiltered ? `No question of ${search.workflow} is listed here.` : emptyTitles[search.tab ?? 'open']}
        >
          {isFiltered ? (
            <button type="button" className="button" onClick={() => go(parseInboxSearch({ tab: search.tab }))}>
              Clear all filters
            </button>
          ) : (
            <p>Questions of human nodes appear here while their runs wait.</p>
          )}
        </Empty>
      )}
      {tasks !== undefined && (tasks.length > 0 || chosen !== undefined) && (
        <div className={classes['inbox']} data-chosen={chosen !== undefined}>
          <nav className={`${classes['list']} panel`} aria-label="Questions">
            <ul>
              {tasks.map((task, at) => (
                <Line key={task.id} task={task} search={search} isShown={chosen === undefined && at === 0} />
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

interface PlaceProps {
  readonly search: InboxSearch;
  readonly go: (search: InboxSearch) => void;
}

function Tabs({ search: place, go }: PlaceProps) {
  const { data } = useTaskCounts(place.workflow);
  const more = data?.capped === true ? '+' : '';
  const named = (label: string, count = 0) => (count === 0 ? label : `${label} ${count}${more}`);
  const total = (data?.open ?? 0) + (data?.claimed ?? 0);
  const options = { open: named('Open', data?.open), mine: named('Mine', data?.mine), all: named('All', total) };
  return (
    <Segmented
      label="Questions"
      options={options}
      value={place.tab ?? 'open'}
      choose={(tab) => go(parseInboxSearch({ ...place, tab }))}
    />
  );
}

/** Choice of one of the workflows whose questions are listed. */
function WorkflowFilter({ search: place, go }: PlaceProps) {
  const { data } = useTasks(parseInboxSearch({ tab: place.tab }));
  const names = [...new Set(data?.pages.flatMap((page) => page.data.map(({ workflow }) => workflow)))].sort();
  if (names.length < 2 && place.workflow === undefined) return null;
  return (
    <FilterSelect
      label="Workflow"
      value={place.workflow}
      options={names.map((value) => ({ value }))}
      choose={(workflow) => go(parseInboxSearch({ ...place, workflow }))}
    />
  );
}

interface LineProps {
  readonly task: TaskDetail;
  readonly search: InboxSearch;
  /** It is the question beside the list, although the address names none. */
  readonly isShown: boolean;
}

function Line({ task, search: place, isShown }: LineProps) {
  const { id, node, workflow, assignee, askedAt, title } = task;
  const prompt = callQuestion(task);
  return (
    <li>
      <Link
        to="/inbox/$task"
        params={{ task: id }}
        search={place}
        className={`${classes['line']} stack muted`}
        data-shown={isShown}
      >
        <strong className="cut">
          <bdi>{node}</bdi> · <bdi>{workflow}</bdi>
        </strong>
        <span dir="auto">{prompt === '' ? title : prompt}</span>
        {title !== undefined && prompt !== '' && (
          <em dir="auto" className="cut muted">
            {title}
          </em>
        )}
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
  const search = useSearch({ from: '/inbox' });
  const move = (by: number) => {
    const at = tasks.findIndex(({ id }) => id === chosen);
    const to = tasks[at < 0 ? 0 : Math.min(Math.max(at + by, 0), tasks.length - 1)];
    if (to === undefined) return;
    void navigate({ to: '/inbox/$task', params: { task: to.id }, search });
  };
  useShortcut('next', () => move(1));
  useShortcut('previous', () => move(-1));
  useShortcut('claim', () => document.querySelector<HTMLButtonElement>('button[data-claim]')?.click());
  useShortcut('answer', () => document.querySelector<HTMLElement>('article [data-answer]')?.focus());
}

/** Announces new questions to screen readers. */
function Announcement({ count }: { readonly count: number | undefined }) {
  const [known, setKnown] = useState(count);
  const [announcement, announce] = useState('');
  useEffect(() => {
    if (count === undefined || count === known) return;
    if (known !== undefined && count > known) {
      const more = count - known;
      announce(more === 1 ? 'One more question waits for an answer.' : `${more} more questions wait for answers.`);
    }
    setKnown(count);
  }, [count, known]);
  return (
    <p className="visually-hidden" role="status">
      {announcement}
    </p>
  );
}

/** The question that an address names. */
export function Question() {
  const { task } = useParams({ from: '/inbox/$task' });
  return <LoadedQuestion id={task} isChosen />;
}

/** The first question of the list, for an inbox in which none has been chosen. */
export function FirstQuestion() {
  const first = useShownTasks()[0];
  return first === undefined ? null : (
    <div className={classes['first']}>
      <LoadedQuestion id={first.id} />
    </div>
  );
}

function useShownTasks(): readonly TaskDetail[] {
  const { data } = useTasks(useSearch({ from: '/inbox' }));
  return data?.pages.flatMap((page) => page.data) ?? [];
}

function LoadedQuestion({ id, isChosen = false }: { readonly id: string; readonly isChosen?: boolean }) {
  const navigate = useNavigate();
  const search = useSearch({ from: '/inbox' });
  const { data: task, error, refetch } = useTask(id);
  const shown = useShownTasks();
  const place = useFocusOnChoice(isChosen ? task?.id : undefined);
  const back = isChosen && (
    <Link to="/inbox" search={search} className={`${classes['back']} inline`}>
      <ArrowLeft aria-hidden size={14} /> All questions
    </Link>
  );
  if (error !== null && task === undefined)
    return (
      <div>
        {back}
        <Problem error={error} retry={() => void refetch()} />
      </div>
    );
  if (task === undefined) return <Skeleton rows={6} />;
  const at = shown.findIndex((one) => one.id === id);
  const next = shown[at + 1] ?? shown.find((one) => one.id !== id);
  const goOn = () =>
    void (next === undefined
      ? navigate({ to: '/inbox', search })
      : navigate({ to: '/inbox/$task', params: { task: next.id }, search }));
  return (
    <div ref={place}>
      {back}
      {isGone(error) && <Problem error={error} />}
      <QuestionArticle key={task.id} task={task} answered={goOn}>
        <Link to="/runs/$run" params={{ run: task.runId }}>{`${task.workflow} · ${task.runId}`}</Link>
      </QuestionArticle>
    </div>
  );
}

/** Moves the focus from the list, which a phone hides, to the question that was chosen there. */
function useFocusOnChoice(chosen: string | undefined) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { activeElement: focused, body } = document;
    // The body has it when the question before was answered, and is gone.
    const isFree = focused === null || focused === body || focused.closest('nav[aria-label="Questions"]') !== null;
    if (chosen !== undefined && isFree) place.current?.querySelector('h2')?.focus({ preventScroll: true });
  }, [chosen]);
  return place;
}
