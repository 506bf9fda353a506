import type { UploadedFile } from '@millrace/client';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { useCaller, useMissingScope } from '../api/use-caller.ts';
import { CopyMenu } from '../kit/commands/copy-as.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import { Attachments } from '../kit/controls/attachments.tsx';
import { SubmitButton } from '../kit/controls/field.tsx';
import { Keys } from '../kit/shortcuts/keys.tsx';
import { Empty } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { Claim, useClaim, useClaimCopy } from './claim.tsx';
import { confirmAnswer } from './confirmation.tsx';
import classes from './questions.module.css';
import type { AskedTask } from './use-tasks.ts';

/** What an answer consists of. */
export type AnswerContent = { readonly text: string } | { readonly data: Readonly<Record<string, unknown>> };

/** What a person has prepared as the answer. */
export interface PreparedAnswer {
  readonly content: AnswerContent;
  /** Reason why it cannot be sent yet; absent: it can. */
  readonly obstacle?: string | undefined;
  /** Words for the button that sends it. */
  readonly action: string;
  /** What was done, in words: `Answered “ACCEPT”`. */
  readonly done: string;
}

interface AnswerFrameProps {
  readonly task: AskedTask;
  readonly answer: PreparedAnswer;
  /** What the person has typed so far. */
  readonly draft: string;
  readonly takesFiles: boolean;
  /** Called once the answer is stored. */
  readonly answered: () => void;
  readonly children: ReactNode;
}

/** The frame of all forms of answers: what was wrong, the claim, and the buttons. */
export function AnswerFrame({ task, answer, draft, takesFiles, answered, children }: AnswerFrameProps) {
  const [files, setFiles] = useState<readonly UploadedFile[]>([]);
  const { mutate, isPending, error, reset } = useSubmission({ task, answer, files }, answered);
  const missing = useMissingScope('answer');
  const obstacle = useClaimedByOther(task) ?? answer.obstacle;
  const claimCopy = useClaimCopy({ task });
  const send = () => {
    if (obstacle === undefined && !isPending) mutate();
  };
  const isClosed = task.status === 'closed';
  if (isClosed && error === null && draft === '') return <Closed task={task} />;
  if (missing !== undefined)
    return (
      <Empty title="You can read this question, but not answer it.">
        <p>{missing}</p>
      </Empty>
    );
  return (
    <form
      className={`${classes['form']} stack`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
        event.preventDefault();
        send();
      }}
    >
      {error !== null && <Problem error={error} retry={reset} />}
      {isClosed && error === null && <Closed task={task} />}
      {children}
      <div className={`${classes['buttons']} row wrap`}>
        {!isClosed && takesFiles && <Attachments files={files} change={setFiles} />}
        <Claim task={task} text={draft} />
        {!isClosed && (
          <CopyMenu
            isSmall
            of={{
              Answer: copyOf('tasks.answer', {
                id: task.id,
                ...answer.content,
                ...(files.length === 0 ? {} : { attachments: files.map((file) => file.id) }),
              }),
              ...claimCopy,
            }}
          />
        )}
        <span className={`${classes['send']} row wrap`}>
          {obstacle !== undefined && (
            <span className={`${classes['why']} muted small`} aria-hidden>
              {obstacle}
            </span>
          )}
          <Keys keys="mod+Enter" />
          <SubmitButton isPending={isPending || isClosed} obstacle={obstacle}>
            {answer.action}
          </SubmitButton>
        </span>
      </div>
    </form>
  );
}

/** Returns the reason why the caller cannot answer a question that another person has claimed. */
function useClaimedByOther(task: AskedTask): string | undefined {
  const claim = useClaim(task);
  if (claim === undefined || claim.isMine) return undefined;
  return `${claim.owner} has claimed this question. Take it over to answer it.`;
}

interface Submission {
  readonly task: AskedTask;
  readonly answer: PreparedAnswer;
  readonly files: readonly UploadedFile[];
}

function useSubmission({ task, answer, files }: Submission, onSuccess: () => void) {
  const { id, assignee } = task;
  const me = useCaller().data?.name;
  // The server refuses answers of other people while a claim lasts.
  const own = assignee !== undefined && assignee === me ? { assignee } : {};
  return useMutation({
    mutationFn: () => millrace.tasks.answer(id, { ...answer.content, attachments: files, ...own }),
    onSuccess() {
      confirmAnswer({ task, done: answer.done });
      onSuccess();
    },
    meta: { changes: ['tasks', 'run'] },
  });
}

function Closed({ task: { answer, answeredBy } }: { readonly task: AskedTask }) {
  if (answer === undefined) return <Empty title="This question has been answered, or its run has ended." />;
  return (
    <Empty title={`${answeredBy ?? 'Someone'} has answered this question.`}>
      <p>“{answer}”</p>
    </Empty>
  );
}

const keyOf = (task: string): string => `millrace.draft.${task}`;

/** Returns the draft of the answer to a question: this browser keeps it until it is sent, also if another person answers. */
export function useDraft(task: string): readonly [text: string, write: (text: string) => void] {
  const [text, setText] = useState(() => localStorage.getItem(keyOf(task)) ?? '');
  const write = (changed: string) => {
    setText(changed);
    if (changed === '') localStorage.removeItem(keyOf(task));
    else localStorage.setItem(keyOf(task), changed);
  };
  return [text, write];
}
