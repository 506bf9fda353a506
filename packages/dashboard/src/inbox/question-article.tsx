import type { ReactNode } from 'react';
import { AnswerForm } from './answer-form.tsx';
import classes from './inbox.module.css';
import type { AskedTask } from './use-tasks.ts';

interface QuestionArticleProps {
  readonly task: AskedTask;
  /** Called once the answer is stored. */
  readonly answered: () => void;
  /** Origin of the question, shown beside the name of its node. */
  readonly children?: ReactNode;
}

/** One question with all that a person needs to answer it, and the form for the answer. */
export function QuestionArticle({ task, answered, children }: QuestionArticleProps) {
  const heading = `question-${task.id}`;
  return (
    <article className={classes['question']} aria-labelledby={heading}>
      <header>
        <h2 id={heading}>{task.prompt}</h2>
        <p className={classes['origin']}>
          asked by {task.node} {children}
        </p>
      </header>
      {task.input !== '' && (
        <section aria-label="Input of the node" className={classes['input']}>
          <pre>{task.input}</pre>
        </section>
      )}
      {task.memory !== undefined && (
        <details>
          <summary>From its memory</summary>
          <pre>{task.memory}</pre>
        </details>
      )}
      <AnswerForm task={task} answered={answered} />
    </article>
  );
}
