import type { Schedule } from '@millrace/client';
import { Link, useNavigate } from '@tanstack/react-router';
import { millrace } from '../api/millrace.ts';
import { copyOf } from '../kit/commands/copy-of.ts';
import type { ResourceAction } from '../kit/commands/resource-actions.tsx';
import { ActionButton, ResourceActions } from '../kit/commands/resource-actions.tsx';

interface ScheduleActionsProps {
  readonly schedule: Schedule;
  readonly edit: () => void;
}

/** Buttons for the actions on a schedule. */
export function ScheduleActions({ schedule, edit }: ScheduleActionsProps) {
  const navigate = useNavigate();
  return (
    <ResourceActions
      changes="schedules"
      actions={actionsFor(schedule, () => navigate({ to: '/schedules' })).map(
        ({ button, ...action }): ResourceAction => ({
          ...action,
          scope: 'run',
          button,
          command: `${button} this schedule`,
          asks: `${button}: ${schedule.id}?`,
        }),
      )}
    >
      <ActionButton scope="run" act={edit}>
        Edit
      </ActionButton>
    </ResourceActions>
  );
}

type Action = Omit<ResourceAction, 'scope' | 'asks' | 'command'> & { readonly button: string };

function actionsFor({ id, paused }: Schedule, leave: () => Promise<void>): readonly Action[] {
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
    {
      id: 'delete',
      danger: 'always',
      button: 'Delete',
      will: 'The schedule and its history are deleted. Runs that it has started continue.',
      confirm: 'Delete the schedule',
      copied: copyOf('schedules.delete', { id }),
      act: async () => {
        await schedules.remove(id);
        // A removed schedule must not be loaded again.
        await leave();
      },
    },
  ];
}
