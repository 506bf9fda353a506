import type { TaskDetail } from '@millrace/client';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Skeleton } from '../kit/states/empty.tsx';
import { isGone, Problem } from '../kit/states/problem.tsx';
import { QuestionArticle } from '../questions/question-article.tsx';
import classes from '../questions/questions.module.css';
import { useTask, useTasks } from '../questions/use-tasks.ts';

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
    <Link to="/inbox" search={search} className={classes['back']}>
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
