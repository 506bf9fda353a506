import { ApiProblem, ConnectionError } from '@millrace/client';
import { CircleAlert } from 'lucide-react';
import classes from './problem.module.css';

/** An error in the place of what failed: its sentence, its code, and a way to try again. */
export function Problem({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const { title, detail, code } = wordsOf(error);
  return (
    <div className={classes['problem']} role="alert">
      <CircleAlert aria-hidden size={16} />
      <div>
        <strong>{title}</strong>
        {detail !== undefined && <p>{detail}</p>}
        {code !== undefined && <code>{code}</code>}
      </div>
      {retry !== undefined && (
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

interface Words {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly code?: string | undefined;
}

function wordsOf(error: unknown): Words {
  if (error instanceof ApiProblem) {
    const { message, code, requestId } = error;
    return { title: message, code: requestId === undefined ? code : `${code} · request ${requestId}` };
  }
  if (error instanceof ConnectionError) return { title: 'The server does not answer.', detail: error.message };
  return { title: 'Something went wrong.', detail: error instanceof Error ? error.message : String(error) };
}
