import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import classes from './inbox.module.css';
import { QuestionArticle } from './question-article.tsx';
import { useTask, useTasks } from './use-tasks.ts';

/** The question that an address names. */
export function Question() {
  const { task } = useParams({ from: '/inbox/$task' });
  return <LoadedQuestion id={task} isChosen />;
}

/** The first open question, for an inbox in which none has been chosen. */
export function FirstQuestion() {
  const { data } = useTasks();
  const first = data?.pages[0]?.data[0];
  return first === undefined ? null : <LoadedQuestion id={first.id} />;
}

function LoadedQuestion({ id, isChosen = false }: { readonly id: string; readonly isChosen?: boolean }) {
  const navigate = useNavigate();
  const { data: task, error, refetch } = useTask(id);
  const { data: open } = useTasks();
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (task === undefined) return <Skeleton rows={6} />;
  const others = open?.pages.flatMap((page) => page.data).filter((one) => one.id !== id) ?? [];
  const next = others[0];
  const goOn = () =>
    void (next === undefined
      ? navigate({ to: '/inbox' })
      : navigate({ to: '/inbox/$task', params: { task: next.id } }));
  return (
    <div>
      {isChosen && (
        <Link to="/inbox" className={classes['back']}>
          <ArrowLeft aria-hidden size={14} /> All questions
        </Link>
      )}
      <QuestionArticle key={task.id} task={task} answered={goOn}>
        <Link to="/runs/$run" params={{ run: task.runId }}>{`${task.workflow} · ${task.runId}`}</Link>
      </QuestionArticle>
    </div>
  );
}
