import type { Run } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { millrace } from '../api/millrace.ts';
import { useOfferedCommands } from '../kit/commands/commands.ts';
import { Problem } from '../kit/states/problem.tsx';
import classes from './run-actions.module.css';
import { hasEnded } from './use-run.ts';

type Action = 'pause' | 'resume' | 'stop' | 'cancel' | 'retry';

/** Returns the actions that make sense for a run in its present status. */
export function actionsFor(run: Pick<Run, 'status'>): readonly Action[] {
  if (run.status === 'paused') return ['resume', 'cancel'];
  if (run.status === 'failed') return ['retry'];
  if (run.status === 'terminated') return ['resume'];
  if (hasEnded(run)) return [];
  return run.status === 'stopping' ? ['cancel'] : ['pause', 'stop', 'cancel'];
}

const explained: Readonly<Record<Action, string>> = {
  pause: 'Nothing new starts; what is at work finishes.',
  resume: 'The run goes on where it stands.',
  stop: 'What is at work finishes, then the run ends.',
  cancel: 'The run ends now; what is at work is aborted.',
  retry: 'The activations that failed start again.',
};

const titles: Readonly<Record<Action, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  stop: 'Stop',
  cancel: 'Cancel',
  retry: 'Retry',
};

/** Buttons for what can be done with a run now. */
export function RunActions({ run }: { readonly run: Run }) {
  const queries = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (action: Action) => millrace.runs.get(run.runId)[action](),
    onSuccess: (changed) => queries.setQueryData(['run', run.runId], changed),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['runs'] }),
  });
  const { status } = run;
  const commands = useMemo(
    () => actionsFor({ status }).map((id) => ({ id, title: `${titles[id]} this run`, act: () => mutate(id) })),
    [status, mutate],
  );
  useOfferedCommands(commands);
  return (
    <>
      {actionsFor(run).map((action) => (
        <button
          key={action}
          type="button"
          className={`button ${classes[action] ?? ''}`}
          disabled={isPending}
          title={explained[action]}
          onClick={() => mutate(action)}
        >
          {action}
        </button>
      ))}
      {error !== null && <Problem error={error} retry={reset} />}
    </>
  );
}
