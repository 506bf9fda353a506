import type { Diagnostic } from '@millrace/client';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { CopyAs, CopyCommand } from '../../kit/commands/copy-as.tsx';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { Segmented } from '../../kit/controls/choices.tsx';
import { Dialog } from '../../kit/controls/dialog.tsx';
import form from '../../kit/controls/form.module.css';
import { Problem } from '../../kit/states/problem.tsx';
import { adviceFor } from '../chatdev/chatdev.ts';
import type { Publication } from '../publishing/publish-dialog.tsx';
import workflows from '../workflows.module.css';
import { asksRealModels, localRun, withScriptedModels } from './scripted.ts';
import type { Trial } from './trial.ts';
import { draftTag, newTrial, ttlSeconds, workOf } from './trial.ts';
import { TrialOutcome } from './trial-outcome.tsx';

interface TryDialogProps {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
  /** Absent: the text has no name to be published under, or is published as it is. */
  readonly publication?: Publication;
  readonly close: () => void;
}

/** Dialog that starts the text as a run, shows what becomes of it, and publishes the text once the run has completed. */
export function TryDialog({ text, diagnostics, publication, close }: TryDialogProps) {
  const [trial, setTrial] = useState<Trial>(() => newTrial(asksRealModels(text)));
  const [run, setRun] = useState<string>();
  return (
    <Dialog title="Try this text" size="large" close={close}>
      {run === undefined ? (
        <TryForm text={text} diagnostics={diagnostics} trial={trial} setTrial={setTrial} started={setRun} />
      ) : (
        <TrialOutcome
          run={run}
          again={() => setRun(undefined)}
          {...(publication === undefined ? {} : { publication })}
        />
      )}
    </Dialog>
  );
}

interface TryFormProps extends Pick<TryDialogProps, 'text' | 'diagnostics'> {
  readonly trial: Trial;
  readonly setTrial: (change: (before: Trial) => Trial) => void;
  /** Called with the run that was started. */
  readonly started: (run: string) => void;
}

/** Form of a run of the text: temporary unless it is to be kept, with its models or with scripted ones. */
function TryForm({ text, diagnostics, trial, setTrial, started }: TryFormProps) {
  const asksModels = useMemo(() => asksRealModels(text), [text]);
  const change = (changed: Partial<Trial>) => setTrial((before) => ({ ...before, ...changed }));
  const yaml = trial.models === 'scripted' ? withScriptedModels(text, trial.reply) : text;
  const missing = adviceFor(yaml, diagnostics).variables.filter((name) => yaml.includes(`\${${name}}`));
  const work = workOf(trial, missing);
  const { mutate, isPending, error } = useTry(yaml, {
    options: { ...work, tags: [draftTag] },
    keep: trial.keep,
    started,
  });
  return (
    <form
      className={`${workflows['form']} stack`}
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <p>
        The workers of this installation execute the text as it is here. Nothing is published, and the text stays in the
        editor.
      </p>
      <TryModels trial={trial} asksModels={asksModels} change={change} />
      <label className={`${workflows['field']} stack strong`}>
        Task
        <textarea rows={3} value={trial.input} onChange={({ target }) => change({ input: target.value })} />
      </label>
      {missing.map((name) => (
        <label key={name} className={`${workflows['field']} stack strong`}>
          <span>
            Variable <code>{name}</code>
          </span>
          <input
            required
            value={trial.vars[name] ?? ''}
            onChange={({ target }) => change({ vars: { ...trial.vars, [name]: target.value } })}
          />
        </label>
      ))}
      <Afterwards keep={trial.keep} choose={(keep) => change({ keep })} />
      {error !== null && <Problem error={error} />}
      <p className={`${workflows['buttons']} row wrap`}>
        <span className="muted small">Or in the memory of your own machine, without this installation:</span>
        <CopyCommand of={localRun({ workflow: { yaml }, ...work })} label="Copy millrace run --local" />
      </p>
      <div className={`${form['buttons']} row wrap`}>
        <CopyAs
          of={copyOf('runs.start', {
            workflow: { yaml },
            ...work,
            tags: [draftTag],
            ...(trial.keep === 'temporary' ? { ttlSeconds } : {}),
          })}
        />
        <button type="submit" className="button primary" disabled={isPending}>
          Start
        </button>
      </div>
    </form>
  );
}

interface AfterwardsProps {
  readonly keep: Trial['keep'];
  readonly choose: (keep: Trial['keep']) => void;
}

/** Choice between a temporary run and one like any other. */
const Afterwards = ({ keep, choose }: AfterwardsProps) => (
  <div className="row wrap">
    <Segmented
      label="Afterwards"
      options={{ temporary: 'Remove after an hour', kept: 'Keep as a run' }}
      value={keep}
      choose={choose}
    />
    <span className="muted small">
      {keep === 'temporary'
        ? 'In no list, no inbox and no number of runs, with memories of its own. It is removed even if it still waits.'
        : 'A run like any other, with the tag "draft".'}
    </span>
  </div>
);

interface Start extends Pick<TryFormProps, 'started'> {
  readonly options: ReturnType<typeof workOf> & { readonly tags: string[] };
  readonly keep: Trial['keep'];
}

/** Starts the run. */
function useTry(yaml: string, { options, keep, started }: Start) {
  const ttl = keep === 'temporary' ? { ttl: ttlSeconds * 1000 } : {};
  return useMutation({
    mutationFn: () => millrace.runs.start({ yaml }, { ...options, ...ttl }),
    onSuccess: ({ id }) => started(id),
    meta: { changes: ['runs'] },
  });
}

interface TryModelsProps {
  readonly trial: Trial;
  /** The text names models that are not scripted. */
  readonly asksModels: boolean;
  readonly change: (changed: Partial<Trial>) => void;
}

/** Choice of scripted models with their answer, or of those that the text names with a budget. */
const TryModels = ({ trial: { models, reply, limit }, asksModels, change }: TryModelsProps) => (
  <>
    {asksModels && (
      <div className="row wrap">
        <Segmented
          label="Models"
          options={{ scripted: 'Scripted models', real: 'Models as written' }}
          value={models}
          choose={(chosen) => change({ models: chosen })}
        />
        <span className="muted small">
          {models === 'scripted' ? 'No model is asked, and nothing is paid.' : 'Models are asked, which costs money.'}
        </span>
      </div>
    )}
    {models === 'scripted' ? (
      <label className={`${workflows['field']} stack strong`}>
        What each model answers; empty: it repeats what it is told
        <textarea rows={2} value={reply} onChange={({ target }) => change({ reply: target.value })} />
      </label>
    ) : (
      asksModels && (
        <label className={`${workflows['field']} stack strong`}>
          Budget in US dollars; empty: as the workflow says
          <input
            type="number"
            min="0"
            step="any"
            value={limit}
            onChange={({ target }) => change({ limit: target.value })}
          />
        </label>
      )
    )}
  </>
);
