import { Link, useRouterState } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { createStore, useStore } from '../api/store.ts';
import { Done } from '../kit/states/notes.tsx';
import classes from './questions.module.css';
import type { AskedTask } from './use-tasks.ts';

/** The last answer that this page has sent. */
interface SentAnswer {
  readonly task: AskedTask;
  /** What was done, in words. */
  readonly done: string;
}

const sent = createStore<SentAnswer | undefined>(undefined);

/** Shows that an answer was stored. */
export const confirmAnswer = (answer: SentAnswer): void => sent.set(answer);

/** Screens on which people answer questions. */
const answering = /^\/(inbox|runs\/)/;

/** What the last answer was, on the screens of questions: the next question may look just like the one that was answered. */
export function Confirmation() {
  const answer = useStore(sent);
  const isAnswering = useRouterState({ select: ({ location }) => answering.test(location.pathname) });
  useEffect(() => {
    if (!isAnswering) sent.set(undefined);
  }, [isAnswering]);
  return <Done>{answer === undefined || !isAnswering ? undefined : <Sent answer={answer} />}</Done>;
}

function Sent({ answer: { task, done } }: { readonly answer: SentAnswer }) {
  return (
    <>
      <span className="grow">
        <span dir="auto">{done}</span> · <bdi>{task.node}</bdi> in{' '}
        <Link to="/runs/$run" params={{ run: task.runId }}>
          <bdi>{task.title ?? task.runId}</bdi>
        </Link>
      </span>
      <button
        type="button"
        className={`${classes['dismiss']} icon-button`}
        aria-label="Dismiss"
        onClick={() => sent.set(undefined)}
      >
        <X aria-hidden size={14} />
      </button>
    </>
  );
}
