import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useRef, useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { CopyAs } from '../../kit/commands/copy-as.tsx';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { Attachments } from '../../kit/controls/attachments.tsx';
import { Segmented } from '../../kit/controls/choices.tsx';
import { useFocusedFirstField } from '../../kit/controls/dialog.tsx';
import { ErrorCode, Problem } from '../../kit/states/problem.tsx';
import { Prose } from '../../kit/values/prose.tsx';
import classes from './start.module.css';
import type { FieldError, StartDraft, Variable, WorkflowChoice } from './start-draft.ts';
import { errorsByField, mistakesIn, startBodyOf } from './start-draft.ts';
import type { OriginRun } from './use-origin.ts';

interface StartFormProps {
  readonly workflow: WorkflowChoice;
  readonly variables: readonly Variable[];
  /** Run whose task and settings the form begins with. */
  readonly origin: OriginRun | undefined;
}

/** Fields of a new run, with the error of each beside it. */
export function StartForm({ workflow, variables, origin }: StartFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useFocusedFirstField(form);
  const [draft, setDraft] = useState<StartDraft>(() => draftFrom(origin));
  const change = (changed: Partial<StartDraft>) => setDraft((before) => ({ ...before, ...changed }));
  // The same request twice starts one run.
  const [runId] = useState(() => `run_${crypto.randomUUID().replaceAll('-', '')}`);
  const navigate = useNavigate();
  const body = startBodyOf(workflow, draft);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async () => {
      if (draft.when === 'now') return (await millrace.call('runs.start', { ...body, runId })).runId;
      await millrace.call('schedules.create', scheduleOf(draft, body));
      return undefined;
    },
    onSuccess: (run) =>
      void (run === undefined ? navigate({ to: '/runs' }) : navigate({ to: '/runs/$run/graph', params: { run } })),
  });
  const [isSent, setSent] = useState(false);
  const mistakes = mistakesIn(draft);
  const names = variables.map(({ name }) => name);
  const errors = { ...errorsByField(error, names), ...(isSent ? mistakes : {}) };
  return (
    <form
      ref={form}
      className={`${classes['form']} stack`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setSent(true);
        reset();
        if (!isPending && Object.keys(mistakes).length === 0) mutate();
      }}
    >
      <Field label="Task" rows={6} value={draft.input} change={(input) => change({ input })} error={errors['input']} />
      <FileField files={draft.files} change={(files) => change({ files })} error={errors['attachments']} />
      {variables.map(({ name, value }) => (
        <Field
          key={name}
          label={name}
          hint="variable"
          placeholder={value === '' ? '' : `default: ${value}`}
          value={draft.vars[name] ?? ''}
          change={(written) => change({ vars: { ...draft.vars, [name]: written } })}
          error={errors[`vars.${name}`]}
        />
      ))}
      <LimitFields draft={draft} change={change} errors={errors} />
      <ScheduleFields draft={draft} change={change} errors={errors} />
      {error !== null && <Problem error={error} />}
      <div className={`${classes['buttons']} row wrap`}>
        <CopyAs
          of={draft.when === 'now' ? copyOf('runs.start', body) : copyOf('schedules.create', scheduleOf(draft, body))}
        />
        <button type="submit" className="button primary" disabled={isPending}>
          {draft.when === 'now' ? 'Start' : 'Create the schedule'}
        </button>
      </div>
    </form>
  );
}

const scheduleOf = ({ schedule: id, cron, timezone }: StartDraft, run: ReturnType<typeof startBodyOf>) => ({
  id,
  cron,
  run,
  ...(timezone === '' ? {} : { timezone }),
});

interface LimitFieldsProps {
  readonly draft: StartDraft;
  readonly change: (changed: Partial<StartDraft>) => void;
  readonly errors: Readonly<Record<string, FieldError>>;
}

function LimitFields({ draft, change, errors }: LimitFieldsProps) {
  return (
    <div className={`${classes['pair']} stack`}>
      <Field
        label="Budget in US dollars"
        type="number"
        value={draft.usd}
        change={(usd) => change({ usd })}
        error={errors['budget.usd']}
      />
      <Field
        label="Budget in tokens"
        type="number"
        value={draft.tokens}
        change={(tokens) => change({ tokens })}
        error={errors['budget.tokens']}
      />
      <Field
        label="Time limit"
        placeholder="as in 90s, 30m or 2h"
        value={draft.limit}
        change={(limit) => change({ limit })}
        error={errors['timeoutSeconds']}
      />
      <Field
        label="Tags"
        placeholder="separated by commas"
        value={draft.tags}
        change={(tags) => change({ tags })}
        error={errors['tags']}
      />
    </div>
  );
}

function draftFrom(origin: OriginRun | undefined): StartDraft {
  const { microUsd, tokens } = origin?.budget ?? {};
  return {
    input: origin?.input ?? '',
    vars: Object.fromEntries(
      Object.entries(origin?.vars ?? {})
        // A secret is kept as a reference to itself.
        .filter(([name, value]) => value !== `\${${name}}`)
        .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    ),
    files: [],
    usd: microUsd === undefined ? '' : String(microUsd / 1_000_000),
    tokens: tokens === undefined ? '' : String(tokens),
    limit: '',
    tags: origin?.tags.join(', ') ?? '',
    when: 'now',
    cron: '',
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    schedule: '',
  };
}

interface FileFieldProps {
  readonly files: StartDraft['files'];
  readonly change: (files: StartDraft['files']) => void;
  readonly error: FieldError | undefined;
}

function FileField({ files, change, error }: FileFieldProps) {
  const id = useId();
  return (
    <div className={`${classes['field']} field`}>
      <span>Files</span>
      <Attachments files={files} change={change} />
      {error !== undefined && <Mistake id={`${id}-error`} error={error} />}
    </div>
  );
}

interface ScheduleFieldsProps {
  readonly draft: StartDraft;
  readonly change: (changed: Partial<StartDraft>) => void;
  readonly errors: Readonly<Record<string, FieldError>>;
}

/** Choice of a run now, or of a schedule that starts such runs. */
function ScheduleFields({ draft, change, errors }: ScheduleFieldsProps) {
  return (
    <>
      <p>
        <Segmented
          label="When it starts"
          options={{ now: 'Now', schedule: 'On a schedule' }}
          value={draft.when}
          choose={(when) => change({ when })}
        />
      </p>
      {draft.when === 'schedule' && (
        <div className={`${classes['pair']} stack`}>
          <Field
            label="Id of the schedule"
            value={draft.schedule}
            change={(schedule) => change({ schedule })}
            error={errors['id']}
          />
          <Field
            label="Times"
            placeholder="cron, as in 0 7 * * 1-5"
            value={draft.cron}
            change={(cron) => change({ cron })}
            error={errors['cron']}
          />
          <Field
            label="Time zone"
            value={draft.timezone}
            change={(timezone) => change({ timezone })}
            error={errors['timezone']}
          />
        </div>
      )}
    </>
  );
}

interface FieldProps {
  readonly label: string;
  /** A word beside the label. */
  readonly hint?: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly error: FieldError | undefined;
  readonly placeholder?: string;
  readonly type?: 'text' | 'number';
  /** Lines of a field for long texts; absent: one line. */
  readonly rows?: number;
}

/** A field with its label and its error. */
function Field({ label, hint, value, change, error, placeholder, type = 'text', rows }: FieldProps) {
  const id = useId();
  const common = {
    id,
    value,
    placeholder,
    'aria-invalid': error !== undefined,
    'aria-describedby': error === undefined ? undefined : `${id}-error`,
  };
  return (
    <div className={`${classes['field']} field`}>
      <label htmlFor={id}>
        {label} {hint !== undefined && <small>{hint}</small>}
      </label>
      {rows === undefined ? (
        <input
          {...common}
          type={type}
          {...(type === 'number' ? { min: 0, step: 'any' } : {})}
          onChange={({ target }) => change(target.value)}
        />
      ) : (
        <textarea {...common} rows={rows} onChange={({ target }) => change(target.value)} />
      )}
      {error !== undefined && <Mistake id={`${id}-error`} error={error} />}
    </div>
  );
}

/** Error of a field, with its code. */
const Mistake = ({ id, error: { code, detail } }: { readonly id: string; readonly error: FieldError }) => (
  <small id={id} className={classes['mistake']}>
    <ErrorCode code={code} /> <Prose text={detail} />
  </small>
);
