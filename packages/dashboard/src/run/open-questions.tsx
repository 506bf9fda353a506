import type { Run } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { QuestionArticle } from '../inbox/question-article.tsx';
import classes from './run-screen.module.css';

/** Questions that a run shows itself; the inbox has the others. */
const mostQuestions = 3;

interface OpenQuestionsProps {
  readonly run: Run;
  readonly answered: () => void;
}

/** The questions that a run waits for, with the forms for their answers. */
export function OpenQuestions({ run: { tasks }, answered }: OpenQuestionsProps) {
  if (tasks.length === 0) return null;
  return (
    <section className={classes['questions']} aria-label="Open questions">
      {tasks.slice(0, mostQuestions).map((task) => (
        <QuestionArticle key={task.id} task={task} answered={answered} />
      ))}
      {tasks.length > mostQuestions && <Link to="/inbox">{tasks.length} questions in all: inbox</Link>}
    </section>
  );
}
