import type { Run } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { Hand } from 'lucide-react';
import { callQuestion } from './approval.ts';
import classes from './open-questions.module.css';
import { QuestionArticle } from './question-article.tsx';
import { useTask } from './use-tasks.ts';

/** Questions that a run shows itself; the inbox has the others. */
const mostQuestions = 3;

interface OpenQuestionsProps {
  readonly run: Run;
  readonly answered: () => void;
}

/** The open questions of a run, folded to one line above the content of a tab. */
export function FoldedQuestions({ run, answered }: OpenQuestionsProps) {
  const [first, ...others] = run.tasks;
  if (first === undefined) return null;
  return (
    <details className={`${classes['asks']} spaced`}>
      <summary className="tinted row" data-tone="waiting">
        <Hand aria-hidden size={14} />
        <strong className="cut">
          <bdi>{first.node}</bdi> asks
        </strong>
        <span dir="auto" className="cut">
          {callQuestion(first)}
        </span>
        {others.length > 0 && <span className="cut">and {others.length} more</span>}
      </summary>
      <OpenQuestions run={run} answered={answered} />
    </details>
  );
}

/** The questions that a run waits for, with the forms for their answers. */
export function OpenQuestions({ run: { tasks }, answered }: OpenQuestionsProps) {
  if (tasks.length === 0) return null;
  return (
    <section className={`${classes['questions']} stack`} aria-label="Open questions">
      {tasks.slice(0, mostQuestions).map((task) => (
        <OpenQuestion key={task.id} task={task} answered={answered} />
      ))}
      {tasks.length > mostQuestions && <Link to="/inbox">{tasks.length} questions in all: inbox</Link>}
    </section>
  );
}

interface OpenQuestionProps {
  readonly task: Run['tasks'][number];
  readonly answered: () => void;
}

/** A question with its whole input and its claim; the run has only the beginning of the input. */
function OpenQuestion({ task, answered }: OpenQuestionProps) {
  const { data } = useTask(task.id);
  return <QuestionArticle task={data ?? task} answered={answered} />;
}
