import { ApiProblem, ConnectionError } from '@millrace/client';
import { CircleAlert, CircleHelp, Lock } from 'lucide-react';
import { Prose } from '../values/prose.tsx';
import classes from './problem.module.css';

/** Folder of the pages about errors. */
const pages = 'https://github.com/millrace/millrace/blob/main/docs/errors';

interface ProblemProps {
  /** null: none, and nothing is shown. */
  readonly error: unknown;
  readonly retry?: () => void;
}

/** Tests if an error says that the requested thing does not exist, or no longer exists. */
export const isGone = (error: unknown): boolean => error instanceof ApiProblem && error.status === 404;

/** Tests if an error says that the server does not answer, which a banner over every screen says, too. */
export const isUnreached = (error: unknown): boolean => error instanceof ConnectionError;

/**
 * An error in the place of the part that failed: its message, which names the cure, its code with a link to its page, the
 * id of the request in the log of the server, and a button that tries again.
 */
export const Problem = (props: ProblemProps) => (props.error === null ? null : <Panel {...props} />);

function Panel({ error, retry }: ProblemProps) {
  const { kind, title, parts = [], code, requestId } = textOf(error);
  const { icon: Icon, tone, name } = kinds[kind];
  return (
    <div className={`${classes['problem']} note ink row wrap`} data-tone={tone} role="alert">
      <Icon aria-hidden size={16} />
      <div className="stack">
        <strong>
          {name !== undefined && <span className="visually-hidden">{name}: </span>}
          <Prose text={title} />
        </strong>
        {parts.map(({ pointer, detail }) => (
          <p key={`${pointer} ${detail}`}>
            {pointer !== '' && <code>{pointer}</code>} <Prose text={detail} />
          </p>
        ))}
        {code !== undefined && (
          <p className={`${classes['source']} row wrap`}>
            <a href={`${pages}/${code}.md`} target="_blank" rel="noopener noreferrer">
              <code>{code}</code>
            </a>
            {requestId !== undefined && <code>request {requestId}</code>}
          </p>
        )}
      </div>
      {retry !== undefined && (
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

const kinds = {
  failed: { icon: CircleAlert, tone: 'failed', name: undefined },
  refused: { icon: Lock, tone: 'waiting', name: 'Refused' },
  gone: { icon: CircleHelp, tone: 'quiet', name: 'Not found' },
} as const;

interface ProblemText {
  readonly kind: keyof typeof kinds;
  readonly title: string;
  readonly parts?: readonly { readonly pointer: string; readonly detail: string }[] | undefined;
  readonly code?: string | undefined;
  readonly requestId?: string | undefined;
}

function textOf(error: unknown): ProblemText {
  if (error instanceof ApiProblem) {
    const { status, message: title, errors: parts, code, requestId } = error;
    const kind = status === 403 ? 'refused' : isGone(error) ? 'gone' : 'failed';
    return { kind, title, parts, requestId, ...(code === 'UNKNOWN' ? {} : { code }) };
  }
  if (error instanceof ConnectionError) return { kind: 'failed', title: 'The server does not answer.' };
  return { kind: 'failed', title: error instanceof Error ? error.message : String(error) };
}

/** An error code as a link to its page in the documentation; codes of programs and models have none. */
export function ErrorCode({ code }: { readonly code: string }) {
  if (!/^[A-Z][A-Z0-9_]{2,60}$/.test(code)) return <code>{code}</code>;
  return (
    <a href={`${pages}/${code}.md`} target="_blank" rel="noopener noreferrer" title="What it means and what to do">
      <code>{code}</code>
    </a>
  );
}
