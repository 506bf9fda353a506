import type { UploadedFile } from '@millrace/client';
import { useMutation } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { Paperclip, X } from 'lucide-react';
import type { RefObject } from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { useCaller, useMissingScope } from '../api/use-caller.ts';
import { CopyAs } from '../kit/commands/copy-as.tsx';
import type { OperationCopy } from '../kit/commands/copy-of.ts';
import { copyOf } from '../kit/commands/copy-of.ts';
import { SubmitButton } from '../kit/controls/field.tsx';
import { Keys } from '../kit/shortcuts/keys.tsx';
import { Empty } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { formatBytes } from '../kit/values/format.ts';
import { Claim, ClaimCopies, useClaim } from './claim.tsx';
import { AnswerWords, Destinations } from './destinations.tsx';
import classes from './questions.module.css';
import type { AskedTask } from './use-tasks.ts';

interface AnswerFormProps {
  readonly task: AskedTask;
  /** Called once the answer is stored. */
  readonly answered: () => void;
}

/** The form that answers a question. Its draft survives a reload, and an answer by another person. */
export function AnswerForm({ task, answered }: AnswerFormProps) {
  const { id, status, goesTo = [] } = task;
  const [text, write] = useDraft(id);
  const [files, setFiles] = useState<readonly UploadedFile[]>([]);
  const { mutate, isPending, error, reset } = useSubmission({ task, text, files }, () => {
    write('');
    answered();
  });
  const obstacle = useAnswerObstacle(task);
  const send = () => {
    if (obstacle === undefined && !isPending) mutate();
  };
  const textarea = useRef<HTMLTextAreaElement>(null);
  const field = answerField(id);
  useFocusByAddress(field, textarea);
  const isClosed = status === 'closed';
  if (isClosed && error === null && text === '') return <Closed task={task} />;
  const choose = (word: string) => {
    write(word);
    textarea.current?.focus();
  };
  return (
    <form
      className={`${classes['form']} stack`}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {error !== null && <Problem error={error} retry={reset} />}
      {isClosed && error === null && <Closed task={task} />}
      {!isClosed && <AnswerWords exits={goesTo} choose={choose} />}
      <label htmlFor={field}>Your answer</label>
      <textarea
        ref={textarea}
        id={field}
        rows={4}
        value={text}
        readOnly={isClosed}
        onChange={({ target }) => write(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
          event.preventDefault();
          send();
        }}
      />
      {goesTo.length > 0 && !isClosed && <Destinations exits={goesTo} text={text} />}
      <div className={`${classes['buttons']} row wrap`}>
        {!isClosed && <Attachments files={files} change={setFiles} />}
        <Claim task={task} text={text} />
        <span className={`${classes['send']} row wrap`}>
          <Keys keys="mod+Enter" />
          <SubmitButton isPending={isPending || isClosed} obstacle={obstacle}>
            Answer
          </SubmitButton>
        </span>
        {!isClosed && (
          <span className={`${classes['copied']} row wrap`}>
            <CopyAs of={copiedAnswer(id, text, files)} />
            <ClaimCopies task={task} />
          </span>
        )}
      </div>
    </form>
  );
}

/** Returns the id of the field for the answer to a question, by which an address can name it. */
export const answerField = (task: string): string => `answer-${task}`;

/** Gives the focus to a field when the address names it. */
function useFocusByAddress(field: string, element: RefObject<HTMLTextAreaElement | null>): void {
  const location = useLocation();
  useEffect(() => {
    if (location.hash === field) element.current?.focus();
  }, [location, field, element]);
}

/** Returns the reason why the caller cannot answer a question now. */
function useAnswerObstacle(task: AskedTask): string | undefined {
  const missing = useMissingScope('answer');
  const claim = useClaim(task);
  if (missing !== undefined || claim === undefined || claim.isMine) return missing;
  return `${claim.owner} has claimed this question. Take it over to answer it.`;
}

/** Returns an answer as a command and as a request, for copying. */
const copiedAnswer = (id: string, text: string, files: readonly UploadedFile[]): OperationCopy =>
  copyOf('tasks.answer', { id, text, ...(files.length === 0 ? {} : { attachments: files.map((file) => file.id) }) });

interface Submission {
  readonly task: AskedTask;
  readonly text: string;
  readonly files: readonly UploadedFile[];
}

function useSubmission({ task: { id, assignee }, text, files }: Submission, onSuccess: () => void) {
  const me = useCaller().data?.name;
  // The server refuses answers of other people while a claim lasts.
  const own = assignee !== undefined && assignee === me ? { assignee } : {};
  return useMutation({
    mutationFn: () => millrace.tasks.answer(id, { text, attachments: files, ...own }),
    onSuccess,
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

interface AttachmentsProps {
  readonly files: readonly UploadedFile[];
  readonly change: (files: readonly UploadedFile[]) => void;
}

/** Files of an answer; each is uploaded when it is chosen. */
function Attachments({ files, change }: AttachmentsProps) {
  const field = useId();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (chosen: readonly File[]) => Promise.all(chosen.map((file) => millrace.files.upload(file))),
    onSuccess: (uploaded) => change([...files, ...uploaded]),
  });
  return (
    <div className={`${classes['attachments']} row wrap`}>
      {error !== null && <Problem error={error} />}
      {files.map(({ id, name, size }) => (
        <span key={id} className={`${classes['file']} inline`}>
          {name} · {formatBytes(size)}
          <button
            type="button"
            className="icon-button"
            aria-label={`Remove ${name}`}
            onClick={() => change(files.filter((one) => one.id !== id))}
          >
            <X aria-hidden size={14} />
          </button>
        </span>
      ))}
      <label htmlFor={field} className="button" aria-disabled={isPending}>
        <Paperclip aria-hidden size={14} /> {isPending ? 'Uploading…' : 'Attach'}
      </label>
      <input
        id={field}
        type="file"
        multiple
        className="visually-hidden"
        aria-label="Attach files"
        onChange={({ target }) => {
          mutate([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </div>
  );
}

const keyOf = (task: string): string => `millrace.draft.${task}`;

/** Returns the draft of the answer to a question: this browser keeps it until it is sent. */
function useDraft(task: string): readonly [text: string, write: (text: string) => void] {
  const [text, setText] = useState(() => localStorage.getItem(keyOf(task)) ?? '');
  const write = (changed: string) => {
    setText(changed);
    if (changed === '') localStorage.removeItem(keyOf(task));
    else localStorage.setItem(keyOf(task), changed);
  };
  return [text, write];
}
