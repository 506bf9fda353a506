import type { Schedule } from '@millrace/client';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { HTMLInputTypeAttribute, ReactNode } from 'react';
import { useDeferredValue, useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { useMissingScope } from '../api/use-caller.ts';
import { CopyAs } from '../kit/commands/copy-as.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import { Field, SubmitButton, WorkflowField } from '../kit/controls/field.tsx';
import form from '../kit/controls/form.module.css';
import { Panel, Screen } from '../kit/layout/screen.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { formatDuration } from '../kit/values/format.ts';
import { useServerNow } from '../kit/values/time.tsx';
import type { RunDraft, ScheduledRun } from './run-draft.ts';
import { draftOf, mistakeIn, scheduledRunOf } from './run-draft.ts';
import classes from './schedules.module.css';
import { useNextTimes } from './use-schedules.ts';

/** The times of a schedule as the form has them. */
interface WantedTimes extends Pick<Schedule, 'id' | 'cron' | 'timezone' | 'missed' | 'overlap'> {
  readonly description: string;
}

/** A schedule as the form has it. */
export interface WantedSchedule extends WantedTimes {
  readonly run: ScheduledRun;
}

interface ScheduleFormProps {
  /** Absent: a new one. */
  readonly schedule?: Schedule;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly save: (wanted: WantedSchedule) => void;
  readonly children?: ReactNode;
}

/** Form for the times and the run of a schedule, with a preview of its times. */
export function ScheduleForm({ schedule, isPending, error, save, children }: ScheduleFormProps) {
  const [times, change] = useState(() => timesOf(schedule));
  const [draft, edit] = useState(() => draftOf((schedule?.run ?? { workflow: '' }) as ScheduledRun)); // as it was sent
  const wanted: WantedSchedule = { ...times, run: scheduledRunOf(draft) };
  const mistake = mistakeIn(draft);
  const missing = useMissingScope('run') ?? mistake;
  const set = (part: Partial<WantedTimes>) => change({ ...times, ...part });
  const isNew = schedule === undefined;
  return (
    <form
      className={`${form['form']} stack`}
      onSubmit={(event) => {
        event.preventDefault();
        if (missing === undefined && !isPending) save(wanted);
      }}
    >
      <Panel title="Times">
        <TimeFields wanted={times} isNew={isNew} set={set} />
        <NextTimes cron={wanted.cron} timezone={wanted.timezone} />
      </Panel>
      <Panel title="Run">
        <RunFields draft={draft} change={(changed) => edit({ ...draft, ...changed })} />
      </Panel>
      {children}
      {mistake !== undefined && <p role="alert">{mistake}</p>}
      {error !== null && <Problem error={error} />}
      <div className={`${form['buttons']} row wrap`}>
        <CopyAs of={isNew ? copyOf('schedules.create', wanted) : copyOf('schedules.change', wanted)} />
        <SubmitButton isPending={isPending} obstacle={missing}>
          {isNew ? 'Create the schedule' : 'Save the changes'}
        </SubmitButton>
      </div>
    </form>
  );
}

interface FieldsProps {
  readonly wanted: WantedTimes;
  readonly set: (part: Partial<WantedTimes>) => void;
}

function TimeFields({ wanted, isNew, set }: FieldsProps & { readonly isNew: boolean }) {
  const { id, cron, timezone, missed, overlap, description } = wanted;
  return (
    <div className={`${form['fields']} stack`}>
      {isNew && (
        <Field label="Id" hint="Letters, digits, _ and -.">
          {(ids) => (
            <input
              {...ids}
              required
              pattern="[A-Za-z0-9_\-]{1,50}"
              value={id}
              onChange={({ target }) => set({ id: target.value })}
            />
          )}
        </Field>
      )}
      <Field label="Cron expression" hint="Minute, hour, day, month, day of the week; or @daily and the like.">
        {(ids) => <input {...ids} required value={cron} onChange={({ target }) => set({ cron: target.value })} />}
      </Field>
      <Field label="Time zone">
        {(ids) => (
          <>
            <input
              {...ids}
              list={`${ids.id}zones`}
              required
              value={timezone}
              onChange={({ target }) => set({ timezone: target.value })}
            />
            <datalist id={`${ids.id}zones`}>
              {zones.map((zone) => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <Field label="Missed times" hint="Times that passed while no server was running.">
        {(ids) => (
          <select
            {...ids}
            value={missed}
            onChange={({ target }) => set({ missed: target.value as Schedule['missed'] })}
          >
            <option value="once">one run for all of them</option>
            <option value="all">a run for each of them</option>
            <option value="skip">no run</option>
          </select>
        )}
      </Field>
      <Field label="While the last run is active">
        {(ids) => (
          <select
            {...ids}
            value={overlap}
            onChange={({ target }) => set({ overlap: target.value as Schedule['overlap'] })}
          >
            <option value="allow">start another one</option>
            <option value="skip">skip the time</option>
          </select>
        )}
      </Field>
      <Field label="Description" hint="For people.">
        {(ids) => (
          <input
            {...ids}
            maxLength={200}
            value={description}
            onChange={({ target }) => set({ description: target.value })}
          />
        )}
      </Field>
    </div>
  );
}

const zones = Intl.supportedValuesOf('timeZone');

function timesOf(schedule: Schedule | undefined): WantedTimes {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const {
    id = '',
    cron = '0 7 * * 1-5',
    timezone = own,
    missed = 'once',
    overlap = 'allow',
    description = '',
  } = schedule ?? {};
  return { id, cron, timezone, missed, overlap, description };
}

interface RunFieldsProps {
  readonly draft: RunDraft;
  readonly change: (changed: Partial<RunDraft>) => void;
}

/** The fields of the runs that a schedule starts. */
function RunFields({ draft, change }: RunFieldsProps) {
  const text = (name: keyof Omit<RunDraft, 'others'>, label: string, hint?: string) => (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {(ids) => (
        <textarea {...ids} value={draft[name] ?? ''} onChange={({ target }) => change({ [name]: target.value })} />
      )}
    </Field>
  );
  const line = (name: 'tags' | 'limit', label: string, hint: string) => (
    <Field label={label} hint={hint}>
      {(ids) => <input {...ids} value={draft[name]} onChange={({ target }) => change({ [name]: target.value })} />}
    </Field>
  );
  const number = (name: 'usd' | 'tokens' | 'priority', label: string, more: NumberProps) => (
    <Field label={label} hint={more.hint}>
      {(ids) => (
        <input
          {...ids}
          {...more.limits}
          type={'number' satisfies HTMLInputTypeAttribute}
          value={draft[name]}
          onChange={({ target }) => change({ [name]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <div className={`${form['fields']} stack`}>
      {draft.workflow === undefined ? (
        text('yaml', 'Text of the workflow')
      ) : (
        <WorkflowField value={draft.workflow} change={(workflow) => change({ workflow })} />
      )}
      {text('input', 'Input')}
      {text('variables', 'Variables', 'NAME=VALUE, one a line; values are JSON or texts.')}
      {line('tags', 'Tags', 'Separated by commas.')}
      {number('usd', 'Budget in US dollars', {
        hint: 'Of each run; empty: as the workflow says.',
        limits: { min: 0, step: 'any' },
      })}
      {number('tokens', 'Budget in tokens', { hint: 'Of each run.', limits: { min: 1 } })}
      {line('limit', 'Time limit', 'As in 90s, 30m or 2h; empty: none.')}
      {number('priority', 'Priority', {
        hint: 'Runs without one go first, then 1, 2, … 1000.',
        limits: { min: 1, max: 1000 },
      })}
    </div>
  );
}

interface NumberProps {
  readonly hint: string;
  readonly limits: { readonly min: number; readonly max?: number; readonly step?: 'any' };
}

/** Creates a schedule. */
export function NewScheduleScreen() {
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ description, ...wanted }: WantedSchedule) =>
      millrace.schedules.create({ ...wanted, ...(description === '' ? {} : { description }) }),
    onSuccess: ({ id }) => void navigate({ to: '/schedules/$schedule', params: { schedule: id } }),
    meta: { changes: ['schedules'] },
  });
  return (
    <Screen title="New schedule">
      <ScheduleForm isPending={isPending} error={error} save={mutate} />
    </Screen>
  );
}

/** The next five times of an expression, in its time zone, and the expression in words. */
export function NextTimes({ cron, timezone }: { readonly cron: string; readonly timezone: string }) {
  const { data, error } = useNextTimes(useDeferredValue(cron), useDeferredValue(timezone));
  const now = useServerNow();
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return null;
  const inZone = new Intl.DateTimeFormat(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
    timeZone: timezone,
    timeZoneName: 'short',
  });
  return (
    <div className={`${classes['times']} stack`}>
      <strong>
        {data.sentence} ({timezone})
      </strong>
      <ol className="stack" aria-label="Next times">
        {data.times.map((at) => (
          <li key={at}>
            <time dateTime={new Date(at).toISOString()}>{inZone.format(at)}</time>
            <small>in {formatDuration(Math.max(0, at - now))}</small>
          </li>
        ))}
      </ol>
    </div>
  );
}
