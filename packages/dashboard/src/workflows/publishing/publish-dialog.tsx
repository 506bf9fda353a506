import type { Diagnostic, PublishedVersion, PublishedWorkflow } from '@millrace/client';
import { ApiProblem } from '@millrace/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { versionQuery } from '../../api/workflow-queries.ts';
import { CopyAs } from '../../kit/commands/copy-as.tsx';
import { Segmented } from '../../kit/controls/choices.tsx';
import { Dialog } from '../../kit/controls/dialog.tsx';
import form from '../../kit/controls/form.module.css';
import { Skeleton } from '../../kit/states/empty.tsx';
import { ErrorCode, Problem } from '../../kit/states/problem.tsx';
import { LineChanges } from '../../kit/text/text-diff.tsx';
import { Prose } from '../../kit/values/prose.tsx';
import { Age } from '../../kit/values/time.tsx';
import workflows from '../workflows.module.css';
import { copiedPublication } from './copied-publication.ts';

/** A text that is to be published, and what happens to it then. */
export interface Publication {
  readonly name: string;
  readonly text: string;
  /** Hash of the version that the text began with; null: the name was free. */
  readonly base: string | null;
  readonly warnings: readonly Diagnostic[];
  readonly published: (version: PublishedVersion) => void;
  /** Continues the text as a change of another version. */
  readonly rebase: (base: string) => void;
  /** Drops the text for another one. */
  readonly restart: (start: { readonly text: string; readonly base: string }) => void;
}

interface PublishDialogProps {
  readonly of: Publication;
  readonly close: () => void;
}

/** Dialog that publishes a text. */
export const PublishDialog = ({ of, close }: PublishDialogProps) => (
  <Dialog title={`Publish ${of.name}`} size="large" close={close}>
    <PublishForm of={of} />
  </Dialog>
);

/** Form that publishes a text: it shows the changes, takes a note, and reports a conflicting publication. */
export function PublishForm({ of }: Pick<PublishDialogProps, 'of'>) {
  const { name, text, base, warnings, published, rebase, restart } = of;
  const [note, setNote] = useState('');
  const written = note.trim() === '' ? undefined : note.trim();
  const current = useCurrent(name);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () =>
      millrace.workflows.publish(name, text, {
        ...(base === null ? { ifAbsent: true as const } : { ifHash: base }),
        note: written,
      }),
    onSuccess: published,
    meta: { changes: ['workflows'] },
  });
  const isMoved = current.data !== undefined && (current.data?.hash ?? null) !== base;
  const isRefused = error instanceof ApiProblem && error.code === 'WORKFLOW_MOVED';
  return (
    <>
      {current.error !== null && <Problem error={current.error} retry={() => void current.refetch()} />}
      {error !== null && !isRefused && <Problem error={error} retry={reset} />}
      {current.data === undefined ? (
        current.error === null && <Skeleton rows={6} />
      ) : isMoved && current.data !== null ? (
        <Conflict name={name} base={base} theirs={current.data} mine={text} rebase={rebase} restart={restart} />
      ) : (
        <form
          className={`${workflows['form']} stack`}
          onSubmit={(event) => {
            event.preventDefault();
            mutate();
          }}
        >
          <Changes name={name} base={base} text={text} />
          {warnings.length > 0 && (
            <ul className={`${workflows['warnings']} note stack`} data-tone="waiting" aria-label="Warnings">
              {warnings.map(({ code, line, column, message }) => (
                <li key={`${code} ${line} ${column}`}>
                  line {line}: <Prose text={message} /> <ErrorCode code={code} />
                </li>
              ))}
            </ul>
          )}
          <label className={`${workflows['field']} stack strong`}>
            Note
            <textarea
              rows={2}
              maxLength={1000}
              placeholder="What has changed, and why"
              value={note}
              onChange={({ target }) => setNote(target.value)}
            />
          </label>
          <div className={`${form['buttons']} row wrap`}>
            <CopyAs of={copiedPublication({ name, yaml: text, note: written, base })} />
            <button type="submit" className="button primary" disabled={isPending}>
              Publish
            </button>
          </div>
        </form>
      )}
    </>
  );
}

/** Loads the current version of a name; null when there is none. */
const useCurrent = (name: string) =>
  useQuery({
    queryKey: ['workflows', 'current', name],
    queryFn: async ({ signal }) => {
      try {
        return await millrace.workflows.get(name, { signal });
      } catch (error) {
        if (error instanceof ApiProblem && error.code === 'WORKFLOW_UNKNOWN') return null;
        throw error;
      }
    },
    staleTime: 0,
  });

interface ChangesProps {
  readonly name: string;
  readonly base: string | null;
  readonly text: string;
}

/** The lines that a publication changes. */
function Changes({ name, base, text }: ChangesProps) {
  if (base === null) return <p>{name} is new: this is its first version.</p>;
  return <ChangesSince name={name} base={base} text={text} />;
}

function ChangesSince({ name, base, text }: ChangesProps & { readonly base: string }) {
  const { data, error } = useQuery(versionQuery(name, base));
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Skeleton rows={4} />;
  return (
    <>
      <p>
        New runs of {name} use this text from then on. From <code>@{base.slice(0, 6)}</code>, which the name stands for
        now:
      </p>
      {data.yaml === text ? <p>Nothing has changed.</p> : <LineChanges before={data.yaml} after={text} />}
    </>
  );
}

interface ConflictProps {
  readonly name: string;
  /** Hash of the version that both texts began with; null: the name was free. */
  readonly base: string | null;
  readonly theirs: PublishedWorkflow;
  readonly mine: string;
  readonly rebase: (base: string) => void;
  readonly restart: (start: { readonly text: string; readonly base: string }) => void;
}

/** Conflict with another publication: its author, the three texts, and the possible actions. */
function Conflict({ name, base, theirs, mine, rebase, restart }: ConflictProps) {
  const { hash, by = 'Somebody', publishedAt, note, yaml } = theirs;
  return (
    <>
      <p role="alert">
        <strong>
          {by} was first: {name} is at <code>@{hash.slice(0, 6)}</code>, published <Age at={publishedAt} />.
        </strong>
        {note !== undefined && ` “${note}”`}
      </p>
      <p>Nothing was published, and nothing of what you wrote is lost.</p>
      {base === null ? (
        <TwoTexts theirs={yaml} mine={mine} />
      ) : (
        <ThreeTexts name={name} base={base} theirs={yaml} mine={mine} />
      )}
      <div className={`${workflows['buttons']} row wrap`}>
        <button type="button" className="button" onClick={() => rebase(hash)}>
          Keep mine, and publish it over theirs
        </button>
        <button type="button" className="button danger" onClick={() => restart({ text: yaml, base: hash })}>
          Drop mine, and continue with theirs
        </button>
      </div>
    </>
  );
}

interface Texts {
  readonly theirs: string;
  readonly mine: string;
}

const TwoTexts = ({ theirs, mine }: Texts) => (
  <>
    <h3>From theirs to mine</h3>
    <LineChanges before={theirs} after={mine} />
  </>
);

const views = { theirs: 'What they changed', mine: 'What I changed', both: 'From theirs to mine' } as const;

function ThreeTexts({ name, base, theirs, mine }: Texts & { readonly name: string; readonly base: string }) {
  const [view, show] = useState<keyof typeof views>('theirs');
  const { data, error } = useQuery(versionQuery(name, base));
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Skeleton rows={4} />;
  const [before, after] = { theirs: [data.yaml, theirs], mine: [data.yaml, mine], both: [theirs, mine] }[view];
  return (
    <>
      <Segmented label="Changes" options={views} value={view} choose={show} />
      {before === after ? <p>Nothing.</p> : <LineChanges before={before ?? ''} after={after ?? ''} />}
    </>
  );
}
