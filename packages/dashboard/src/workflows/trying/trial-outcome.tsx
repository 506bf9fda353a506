import type { Run } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { hasEnded } from '../../activations/has-ended.ts';
import form from '../../kit/controls/form.module.css';
import { Skeleton } from '../../kit/states/empty.tsx';
import { ErrorCode, Problem } from '../../kit/states/problem.tsx';
import { FoldedText } from '../../kit/text/markdown.tsx';
import { formatCounted, formatMoney } from '../../kit/values/format.ts';
import { Prose } from '../../kit/values/prose.tsx';
import { Status } from '../../kit/values/status.tsx';
import { Duration } from '../../kit/values/time.tsx';
import { useRun } from '../../run/follow/run-queries.ts';
import { useFollowedRun } from '../../run/follow/use-followed-run.ts';
import type { Publication } from '../publishing/publish-dialog.tsx';
import { PublishForm } from '../publishing/publish-dialog.tsx';
import workflows from '../workflows.module.css';

interface TrialOutcomeProps {
  readonly run: string;
  /** Returns to the form. */
  readonly again: () => void;
  /** Absent: there is nothing to publish. */
  readonly publication?: Publication;
}

/** What becomes of the run of a text, and, once it has completed, the form that publishes the text. */
export function TrialOutcome({ run: id, again, publication }: TrialOutcomeProps) {
  const { data: run, error } = useRun(id);
  useFollowedRun(id);
  const outcome = useRef<HTMLElement>(null);
  // The button that had the focus is gone.
  useEffect(() => outcome.current?.focus(), []);
  return (
    <div className={`${workflows['form']} stack`}>
      <section ref={outcome} tabIndex={-1} aria-label="Outcome" className={`${workflows['form']} stack`}>
        {error !== null && <Problem error={error} />}
        {run === undefined ? error === null && <Skeleton rows={3} /> : <Outcome run={run} />}
      </section>
      <div className={`${form['buttons']} row wrap`}>
        <button type="button" className="button" onClick={again}>
          Try again
        </button>
        <Link to="/runs/$run/graph" params={{ run: id }} className="button">
          Open the run
        </Link>
      </div>
      {run?.status === 'completed' && publication !== undefined && (
        <section aria-label={`Publish ${publication.name}`} className={`${workflows['form']} stack`}>
          <h3>Publish {publication.name}</h3>
          <PublishForm of={publication} />
        </section>
      )}
    </div>
  );
}

function Outcome({ run }: { readonly run: Run }) {
  const { status, startedAt, finishedAt, activations, usage, output, error, tasks } = run;
  return (
    <>
      <p className="row wrap muted" role="status">
        <Status of={status} />
        <Duration from={startedAt} to={finishedAt} />
        <span>{formatCounted(activations, 'activation')}</span>
        {usage.microUsd !== undefined && <span>{formatMoney(usage.microUsd)}</span>}
      </p>
      {tasks.length > 0 && !hasEnded(run) && <p>It waits for an answer of a person: open the run to give it.</p>}
      {error !== null && (
        <p className="note ink" data-tone="failed" role="alert">
          {error.node !== undefined && `${error.node}: `}
          <Prose text={error.message} /> <ErrorCode code={error.code} />
        </p>
      )}
      {output !== null && output !== '' && (
        <figure className="note">
          <figcaption className="strong">Result</figcaption>
          <FoldedText text={output} />
        </figure>
      )}
    </>
  );
}
