import { useMutation, useQueryClient } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';
import { Empty } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { useDraft } from './draft.ts';
import classes from './inbox.module.css';
import type { AskedTask } from './use-tasks.ts';

interface AnswerFormProps {
  readonly task: AskedTask;
  /** Called once the answer is stored. */
  readonly answered: () => void;
}

/** The form that answers a question. What is typed survives a reload, and an answer of somebody else. */
export function AnswerForm({ task: { id, assignee, status }, answered }: AnswerFormProps) {
  const [text, write] = useDraft(id);
  const queries = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => millrace.tasks.answer(id, { text, ...(assignee === undefined ? {} : { assignee }) }),
    onSuccess: () => {
      write('');
      answered();
    },
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['tasks'] });
      void queries.invalidateQueries({ queryKey: ['task', id] });
      void queries.invalidateQueries({ queryKey: ['run'] });
    },
  });
  const field = `answer-${id}`;
  const send = () => mutate();
  const isClosed = status === 'closed';
  if (isClosed && error === null && text === '') return <Closed />;
  return (
    <form
      className={classes['form']}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {error !== null && <Problem error={error} retry={reset} />}
      {isClosed && error === null && <Closed />}
      <label htmlFor={field}>Your answer</label>
      <textarea
        id={field}
        rows={4}
        value={text}
        readOnly={isClosed}
        onChange={({ target }) => write(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) send();
        }}
      />
      <div className={classes['buttons']}>
        <button type="submit" className="button primary" disabled={isPending || isClosed}>
          Answer
        </button>
        <kbd>Ctrl + Enter</kbd>
      </div>
    </form>
  );
}

const Closed = () => <Empty title="This question has been answered, or its run has ended." />;
