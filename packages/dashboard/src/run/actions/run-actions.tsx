import type { Run } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { useOfferedCommands } from '../../kit/commands/commands.ts';
import { CopyMenu } from '../../kit/commands/copy-as.tsx';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { ConfirmDialog } from '../../kit/controls/confirm-dialog.tsx';
import { useShortcut } from '../../kit/shortcuts/use-shortcut.ts';
import { Problem } from '../../kit/states/problem.tsx';
import { AnswerLink } from './answer-link.tsx';
import type { RunAction } from './run-action.ts';
import { actionsFor, consequenceOf, performAction } from './run-action.ts';
import classes from './run-actions.module.css';

/** Buttons for the actions that a run allows now; irreversible actions are confirmed first. */
export function RunActions({ run }: { readonly run: Run }) {
  const [asked, ask] = useState<RunAction>();
  const [limit, setLimit] = useState('');
  const { mutate, isPending, error, reset } = useRunAction(run, () => ask(undefined));
  const actions = actionsFor(run);
  const request = (action: RunAction) => {
    reset();
    if (consequenceOf(action, run).asks === undefined) mutate({ action });
    else ask(action);
  };
  useOffers(run, actions, request);
  const words = asked === undefined ? undefined : consequenceOf(asked, run);
  const raises = asked === 'resume';
  return (
    <>
      <AnswerLink run={run} />
      {actions.map((action) => (
        <button
          key={action}
          type="button"
          className={`button ${action === 'cancel' ? 'danger' : ''}`}
          disabled={isPending}
          title={consequenceOf(action, run).will}
          onClick={() => request(action)}
        >
          {consequenceOf(action, run).button}
        </button>
      ))}
      <Link
        className="button"
        to="/runs/new"
        search={{ from: run.runId }}
        title="Start another run with the same task and settings"
      >
        Run again
      </Link>
      <ActionCopies run={run.runId} actions={actions} />
      {error !== null && asked === undefined && <Problem error={error} retry={reset} />}
      {asked !== undefined && words?.asks !== undefined && words.confirm !== undefined && (
        <ConfirmDialog
          title={words.asks}
          will={words.will}
          confirm={words.confirm}
          isDanger={asked === 'cancel' || asked === 'stop'}
          isPending={isPending}
          error={error}
          act={() => mutate({ action: asked, ...(raises ? { usd: Number(limit) } : {}) })}
          close={() => ask(undefined)}
          copied={
            raises && limit !== ''
              ? copyOf('runs.resume', { id: run.runId, budget: { usd: Number(limit) } })
              : copyOf(`runs.${asked}`, { id: run.runId })
          }
        >
          {raises && (
            <label className={classes['limit']}>
              Limit of the whole run, in US dollars
              <input
                type="number"
                min="0"
                step="any"
                required
                value={limit}
                onChange={({ target }) => setLimit(target.value)}
              />
            </label>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}

interface Wanted {
  readonly action: RunAction;
  /** New limit of the run in US dollars. */
  readonly usd?: number;
}

function useRunAction({ runId }: Run, done: () => void) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: ({ action, usd }: Wanted) => performAction(millrace.runs.get(runId), action, usd),
    onSuccess: (changed) => {
      done();
      queries.setQueryData(['run', changed.runId], changed);
      if (changed.runId !== runId) void navigate({ to: '/runs/$run/graph', params: { run: changed.runId } });
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['runs'] }),
  });
}

/** Offers the actions in the palette and under their keys. */
function useOffers(run: Run, actions: readonly RunAction[], request: (action: RunAction) => void): void {
  const names = actions.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same actions are the same commands
  const commands = useMemo(
    () => actions.map((id) => ({ id, title: `${consequenceOf(id, run).button} this run`, act: () => request(id) })),
    [names, run.runId],
  );
  useOfferedCommands(commands);
  const pausing = actions.find((action) => action === 'pause' || action === 'resume');
  useShortcut('pause', () => pausing !== undefined && request(pausing), pausing !== undefined);
  useShortcut('cancel', () => request('cancel'), actions.includes('cancel'));
  useShortcut('replay', () => request('replay'), actions.includes('replay'));
}

interface ActionCopiesProps {
  readonly run: string;
  readonly actions: readonly RunAction[];
}

/** Menu that copies the actions, and the requests that show the run. */
const ActionCopies = ({ run, actions }: ActionCopiesProps) => (
  <CopyMenu
    of={{
      Show: copyOf('runs.get', { id: run }),
      Watch: copyOf('runs.events', { id: run }),
      ...Object.fromEntries(actions.map((action) => [nameOf(action), copyOf(`runs.${action}`, { id: run })])),
    }}
  />
);

const nameOf = (action: RunAction): string => `${action.slice(0, 1).toUpperCase()}${action.slice(1)}`;
