import type { Schedule } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { useOfferedCommands } from '../kit/commands/commands.ts';
import { ConfirmDialog } from '../kit/commands/confirm-dialog.tsx';
import type { Copied } from '../kit/commands/copy-of.ts';
import { copyOf } from '../kit/commands/copy-of.ts';
import { ActionButton } from '../kit/controls/action-button.tsx';
import { ActionResult } from '../kit/states/action-result.tsx';
import { Problem } from '../kit/states/problem.tsx';

type Action = 'trigger' | 'pause' | 'resume' | 'delete';

interface ScheduleActionsProps {
  readonly schedule: Schedule;
  readonly edit: () => void;
}

/** Buttons for the actions on a schedule. */
export function ScheduleActions({ schedule, edit }: ScheduleActionsProps) {
  const { id, paused } = schedule;
  const [asked, ask] = useState<Action>();
  const [result, setResult] = useState<{ readonly text: string; readonly run?: string }>();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (action: Action) => performAction(id, action),
    onSuccess: async (run, action) => {
      ask(undefined);
      setResult({ text: words[action].done, ...(run === undefined ? {} : { run }) });
      // A removed schedule must not be loaded again.
      if (action === 'delete') await navigate({ to: '/schedules' });
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['schedules'] }),
  });
  const actions = [paused ? 'resume' : 'pause', 'trigger', 'delete'] as const;
  const names = actions.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same actions are the same commands
  const commands = useMemo(
    () =>
      actions.map((action) => ({ id: action, title: `${words[action].button} this schedule`, act: () => ask(action) })),
    [names, id],
  );
  useOfferedCommands(commands);
  return (
    <>
      {result !== undefined && (
        <ActionResult text={result.text} {...(result.run === undefined ? {} : { run: result.run })} />
      )}
      {error !== null && asked === undefined && <Problem error={error} retry={reset} />}
      <ActionButton scope="run" act={edit}>
        Edit
      </ActionButton>
      {actions.map((action) => (
        <ActionButton
          key={action}
          scope="run"
          tone={action === 'delete' ? 'danger' : undefined}
          title={words[action].will}
          act={() => {
            reset();
            ask(action);
          }}
        >
          {words[action].button}
        </ActionButton>
      ))}
      {asked !== undefined && (
        <ConfirmDialog
          title={`${words[asked].button}: ${id}?`}
          will={words[asked].will}
          confirm={words[asked].confirm}
          isDanger={asked === 'delete'}
          isPending={isPending}
          error={error}
          act={() => mutate(asked)}
          close={() => ask(undefined)}
          copied={copiedFor(asked, id)}
        />
      )}
    </>
  );
}

const words = {
  trigger: {
    button: 'Run now',
    will: 'A run starts at once, beside those of its times. What the run costs is paid.',
    confirm: 'Start the run',
    done: 'A run has started.',
  },
  pause: {
    button: 'Pause',
    will: 'No more runs start by this schedule until it is resumed. Times that pass meanwhile are not caught up.',
    confirm: 'Pause the schedule',
    done: 'The schedule is paused.',
  },
  resume: {
    button: 'Resume',
    will: 'Runs start again from its next time on.',
    confirm: 'Resume the schedule',
    done: 'The schedule continues.',
  },
  delete: {
    button: 'Delete',
    will: 'The schedule and its history are deleted. Runs that it has started continue.',
    confirm: 'Delete the schedule',
    done: 'The schedule is deleted.',
  },
} as const satisfies Record<Action, object>;

/** Executes an action. Returns the id of the run that it has started. */
async function performAction(id: string, action: Action): Promise<string | undefined> {
  const { schedules } = millrace;
  if (action === 'trigger') return (await schedules.trigger(id)).runId;
  if (action === 'delete') await schedules.remove(id);
  else await schedules.change(id, { paused: action === 'pause' });
  return undefined;
}

function copiedFor(action: Action, id: string): Copied {
  if (action === 'trigger') return copyOf('schedules.trigger', { id });
  if (action === 'delete') return copyOf('schedules.delete', { id });
  return copyOf('schedules.change', { id, paused: action === 'pause' });
}
