import type { Schedule, ScheduleState, ScheduleTick } from '@millrace/client';
import { useMutation } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { copyOf } from '../kit/commands/copy-of.ts';
import type { ResourceAction } from '../kit/commands/resource-actions.tsx';
import { ActionButton, ResourceActions } from '../kit/commands/resource-actions.tsx';
import { useDeletion } from '../kit/commands/use-deletion.ts';
import { Facts, Panel, Screen } from '../kit/layout/screen.tsx';
import { Skeleton } from '../kit/states/empty.tsx';
import { ErrorCode, Problem } from '../kit/states/problem.tsx';
import { DataTable } from '../kit/tables/data-table.tsx';
import { CopyableId } from '../kit/values/copyable-id.tsx';
import { formatMoment } from '../kit/values/format.ts';
import { Prose } from '../kit/values/prose.tsx';
import { Status } from '../kit/values/status.tsx';
import { Age } from '../kit/values/time.tsx';
import type { WantedSchedule } from './schedule-form.tsx';
import { NextTimes, ScheduleForm } from './schedule-form.tsx';
import classes from './schedules.module.css';
import { useSchedule, useTicks } from './use-schedules.ts';

/** One schedule: its next times, the outcomes of the last ones, and its actions. */
export function ScheduleScreen() {
  const { schedule: id } = useParams({ from: '/schedules/$schedule' });
  const { data: schedule, error, refetch } = useSchedule(id);
  const [isEdited, edit] = useState(false);
  return (
    <Screen
      title={`Schedule ${id}`}
      actions={schedule === undefined ? null : <ScheduleActions schedule={schedule} edit={() => edit(!isEdited)} />}
    >
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {schedule === undefined && error === null && <Skeleton rows={5} />}
      {schedule !== undefined && (
        <>
          <Head schedule={schedule} />
          {isEdited ? <Edit schedule={schedule} close={() => edit(false)} /> : <Times schedule={schedule} />}
        </>
      )}
    </Screen>
  );
}

function Head({ schedule }: { readonly schedule: ScheduleState }) {
  const { id, cron, timezone, description, run, nextAt, createdAt, missed, overlap } = schedule;
  const workflow = run['workflow'];
  return (
    <Facts>
      <Status of={nextAt === null ? 'paused' : 'active'} />
      <strong>{typeof workflow === 'string' ? workflow : 'a workflow of its own'}</strong>
      <CopyableId id={id} />
      <code>{cron}</code>
      <span>{timezone}</span>
      {description !== undefined && <span>{description}</span>}
      <span>
        {missed === 'skip'
          ? 'missed times are skipped'
          : missed === 'once'
            ? 'one run for missed times'
            : 'a run for each missed time'}
      </span>
      {overlap === 'skip' && <span>skips a time while the last run is active</span>}
      <span>
        created <Age at={createdAt} />
      </span>
      <Link to="/runs" search={{ tag: `schedule:${id}` }}>
        Runs of this schedule
      </Link>
    </Facts>
  );
}

const Times = ({ schedule }: { readonly schedule: ScheduleState }) => (
  <div className={`${classes['columns']} stack`}>
    <Panel title="Next times">
      {schedule.nextAt === null && <p>It is paused: none of these times starts a run.</p>}
      <NextTimes cron={schedule.cron} timezone={schedule.timezone} />
    </Panel>
    <Panel title="Last times">
      <TickHistory id={schedule.id} />
    </Panel>
  </div>
);

function Edit({ schedule, close }: { readonly schedule: ScheduleState; readonly close: () => void }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ id, ...change }: WantedSchedule) => millrace.schedules.change(id, change),
    onSuccess: close,
    meta: { changes: ['schedules'] },
  });
  return (
    <ScheduleForm schedule={schedule} isPending={isPending} error={error} save={mutate}>
      <p>Runs that have started stay as they are. Times from now on follow what is saved.</p>
    </ScheduleForm>
  );
}

/** Outcomes of the last times of a schedule: as ticks, oldest first, and as a table. */
function TickHistory({ id }: { readonly id: string }) {
  const { data, error, hasNextPage, fetchNextPage } = useTicks(id);
  const ticks = data?.pages.flatMap((page) => page.data);
  if (error !== null && ticks === undefined) return <Problem error={error} />;
  if (ticks === undefined) return <Skeleton rows={4} />;
  if (ticks.length === 0)
    return <p>None of its times has come yet. Runs that a person has started are among the runs of this schedule.</p>;
  return (
    <>
      <div className={`${classes['strip']} row wrap`} aria-hidden>
        {ticks.toReversed().map(({ at, outcome }) => (
          <span key={at} className={classes[outcome]} title={`${formatMoment(at)}: ${outcome}`} />
        ))}
      </div>
      <DataTable
        label="Last times"
        rows={ticks}
        idOf={({ at }) => String(at)}
        columns={[
          { title: 'Time', cell: ({ at }) => <span className="nowrap">{formatMoment(at)}</span> },
          { title: 'Outcome', cell: ({ outcome }) => <Status of={outcome} /> },
          { title: 'Run', cell: (tick) => <TickRun tick={tick} /> },
        ]}
      />
      {hasNextPage && (
        <button type="button" className="button" onClick={() => void fetchNextPage()}>
          Load earlier times
        </button>
      )}
    </>
  );
}

function TickRun({ tick: { outcome, runId, error } }: { readonly tick: ScheduleTick }) {
  return (
    <>
      {runId !== undefined && (
        <Link to="/runs/$run" params={{ run: runId }}>
          {outcome === 'skipped' ? `as ${runId} was active` : runId}
        </Link>
      )}
      {error !== undefined && (
        <>
          <ErrorCode code={error.code} /> <Prose text={error.message} />
        </>
      )}
    </>
  );
}

interface ScheduleActionsProps {
  readonly schedule: Schedule;
  readonly edit: () => void;
}

/** Buttons for the actions on a schedule. */
function ScheduleActions({ schedule, edit }: ScheduleActionsProps) {
  const deletion = useDeletion('schedules', schedule.id, {
    scope: 'run',
    will: 'The schedule and its history are deleted. Runs that it has started continue.',
  });
  const actions = actionsFor(schedule).map(
    ({ button, ...action }): ResourceAction => ({
      ...action,
      scope: 'run',
      button,
      command: `${button} this schedule`,
      asks: `${button}: ${schedule.id}?`,
    }),
  );
  return (
    <ResourceActions changes="schedules" actions={[...actions, deletion]}>
      <ActionButton scope="run" act={edit}>
        Edit
      </ActionButton>
    </ResourceActions>
  );
}

type Action = Omit<ResourceAction, 'scope' | 'asks' | 'command'> & { readonly button: string };

function actionsFor({ id, paused }: Schedule): readonly Action[] {
  const { schedules } = millrace;
  return [
    paused
      ? {
          id: 'resume',
          button: 'Resume',
          will: 'Runs start again from its next time on.',
          confirm: 'Resume the schedule',
          copied: copyOf('schedules.change', { id, paused: false }),
          act: async () => {
            await schedules.change(id, { paused: false });
            return 'The schedule continues.';
          },
        }
      : {
          id: 'pause',
          button: 'Pause',
          will: 'No more runs start by this schedule until it is resumed. Times that pass meanwhile are not caught up.',
          confirm: 'Pause the schedule',
          copied: copyOf('schedules.change', { id, paused: true }),
          act: async () => {
            await schedules.change(id, { paused: true });
            return 'The schedule is paused.';
          },
        },
    {
      id: 'trigger',
      button: 'Run now',
      will: 'A run starts at once, beside those of its times. What the run costs is paid.',
      confirm: 'Start the run',
      copied: copyOf('schedules.trigger', { id }),
      act: async () => {
        const { runId } = await schedules.trigger(id);
        return (
          <>
            A run has started.{' '}
            {runId !== undefined && (
              <Link to="/runs/$run" params={{ run: runId }}>
                {runId}
              </Link>
            )}
          </>
        );
      },
    },
  ];
}
