import type { Run } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { CopyButton } from '../kit/commands/copy-as.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { FoldedText } from '../kit/text/markdown.tsx';
import classes from './run-contents.module.css';

interface RunContentsProps {
  readonly run: string;
  /** Null: the run has none, or is shown as it was before. */
  readonly output: Run['output'];
}

/** The task and the result of a run, folded until they are wanted. */
export function RunContents({ run, output }: RunContentsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section aria-label="Task and result" className="stack">
      <button
        type="button"
        className={`${classes['fold']} fold`}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {output === null ? 'Task' : 'Task and result'}
      </button>
      {isOpen && (
        <div className={classes['contents']}>
          <Task run={run} />
          {output !== null && <Content title="Result" text={output} />}
        </div>
      )}
    </section>
  );
}

/** The first message of the task, which the run was started with. */
function Task({ run }: { readonly run: string }) {
  const { data, error } = useQuery({
    queryKey: ['run', run, 'task'],
    queryFn: async ({ signal }) => {
      const handle = millrace.runs.get(run);
      const { data: found } = await handle.searchEvents({ type: ['graph.entered'], limit: 1 }, { signal }).page();
      const [event] = found.map((one) => one.event);
      const id = event?.type === 'graph.entered' ? event.task[0]?.id : undefined;
      return id === undefined ? '' : handle.text(id, { signal });
    },
    staleTime: 'static',
    meta: { followsRun: false },
  });
  if (error !== null) return <Problem error={error} />;
  return <Content title="Task" text={data ?? ''} />;
}

const Content = ({ title, text }: { readonly title: string; readonly text: string }) => (
  <figure className="note">
    <figcaption className={`${classes['title']} row`}>
      <strong className="strong">{title}</strong>
      {text !== '' && <CopyButton label={`Copy ${title.toLowerCase()}`} text={text} />}
    </figcaption>
    {text === '' ? <p className="muted">No text.</p> : <FoldedText text={text} />}
  </figure>
);
