import type { OperationInput, Schedule } from '@millrace/client';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { CopyAs } from '../kit/commands/copy-as.tsx';
import type { Equivalent } from '../kit/commands/equivalent.ts';
import { Field } from '../kit/controls/field.tsx';
import form from '../kit/controls/form.module.css';
import { SubmitButton } from '../kit/controls/submit-button.tsx';
import { useObstacle } from '../kit/controls/use-obstacle.ts';
import { WorkflowField } from '../kit/controls/workflow-field.tsx';
import { Panel } from '../kit/layout/facts.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { NextTimes } from './next-times.tsx';

/** A schedule as the form has it. */
export interface WantedSchedule extends Pick<Schedule, 'id' | 'cron' | 'timezone' | 'missed' | 'overlap'> {
  readonly run: OperationInput<'schedules.create'>['run'];
  readonly description: string;
}

interface ScheduleFormProps {
  /** Absent: a new one. */
  readonly schedule?: Schedule;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly save: (wanted: WantedSchedule) => void;
  readonly children?: ReactNode;
}

/** A form for the times and the run of a schedule, which shows what its times come to. */
export function ScheduleForm({ schedule, isPending, error, save, children }: ScheduleFormProps) {
  const [wanted, change] = useState(() => wantedOf(schedule));
  const missing = useObstacle('run');
  const set = (part: Partial<WantedSchedule>) => change({ ...wanted, ...part });
  const isNew = schedule === undefined;
  return (
    <form
      className={form['form']}
      onSubmit={(event) => {
        event.preventDefault();
        if (missing === undefined && !isPending) save(wanted);
      }}
    >
      <Panel title="Times">
        <TimeFields wanted={wanted} isNew={isNew} set={set} />
        <NextTimes cron={wanted.cron} timezone={wanted.timezone} />
      </Panel>
      <Panel title="Run">
        <RunFields wanted={wanted} set={set} />
      </Panel>
      {children}
      {error !== null && <Problem error={error} />}
      <div className={form['buttons']}>
        <CopyAs of={equivalentOf(wanted, isNew)} />
        <SubmitButton isPending={isPending} obstacle={missing}>
          {isNew ? 'Create the schedule' : 'Save the changes'}
        </SubmitButton>
      </div>
    </form>
  );
}

interface FieldsProps {
  readonly wanted: WantedSchedule;
  readonly set: (part: Partial<WantedSchedule>) => void;
}

function TimeFields({ wanted, isNew, set }: FieldsProps & { readonly isNew: boolean }) {
  const { id, cron, timezone, missed, overlap } = wanted;
  return (
    <div className={form['fields']}>
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
      <Field label="While the last run is at work">
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
    </div>
  );
}

function RunFields({ wanted: { run, description }, set }: FieldsProps) {
  const { workflow } = run;
  return (
    <div className={form['fields']}>
      {typeof workflow === 'string' && (
        <WorkflowField value={workflow} change={(name) => set({ run: { ...run, workflow: name } })} />
      )}
      <Field label="Input">
        {(ids) => (
          <textarea
            {...ids}
            value={run.input ?? ''}
            onChange={({ target }) => set({ run: { ...run, input: target.value } })}
          />
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

function wantedOf(schedule: Schedule | undefined): WantedSchedule {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const {
    id = '',
    cron = '0 7 * * 1-5',
    timezone = own,
    missed = 'once',
    overlap = 'allow',
    description = '',
  } = schedule ?? {};
  const run = (schedule?.run ?? { workflow: '' }) as WantedSchedule['run']; // as it was sent
  return { id, cron, timezone, missed, overlap, description, run };
}

function equivalentOf(
  { id, cron, timezone, run, missed, overlap, description }: WantedSchedule,
  isNew: boolean,
): Equivalent {
  const workflow = typeof run.workflow === 'string' ? run.workflow : 'FILE';
  const times = ['--cron', cron, '--timezone', timezone, '--missed', missed, '--overlap', overlap];
  const body = { ...(isNew ? { id } : {}), cron, timezone, missed, overlap, description, run };
  return isNew
    ? {
        command: ['schedule', 'create', id, workflow, ...times, '--input', run.input ?? ''],
        request: { method: 'POST', path: '/v1/schedules', body },
      }
    : {
        command: ['schedule', 'change', id, ...times, '--description', description],
        request: { method: 'PATCH', path: `/v1/schedules/${id}`, body },
      };
}
