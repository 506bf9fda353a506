import type { Run, RunHandle } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { hasEnded } from '../../activations/has-ended.ts';
import { millrace } from '../../api/millrace.ts';
import { useOfferedCommands } from '../../kit/commands/commands.ts';
import { ConfirmDialog } from '../../kit/commands/confirm-dialog.tsx';
import { CopyMenu } from '../../kit/commands/copy-as.tsx';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { useShortcut } from '../../kit/shortcuts/use-shortcut.ts';
import { Problem } from '../../kit/states/problem.tsx';
import { formatMoney } from '../../kit/values/format.ts';
import { answerField } from '../../questions/answer-form.tsx';
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
            <label className={`${classes['limit']} stack strong`}>
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

/** Link to the form for the answer to the first question that a run waits for. */
function AnswerLink({ run: { runId, tasks } }: { readonly run: Run }) {
  const navigate = useNavigate();
  const [first, ...others] = tasks;
  const place = { to: '/runs/$run/graph', params: { run: runId }, hash: answerField(first?.id ?? '') } as const;
  useShortcut('answer', () => void navigate(place), first !== undefined);
  if (first === undefined) return null;
  return (
    <Link className="button primary" {...place}>
      {others.length === 0 ? 'Answer the question' : 'Answer the first question'}
    </Link>
  );
}

/** Something that can be done with a run. */
type RunAction = 'pause' | 'resume' | 'stop' | 'cancel' | 'retry' | 'replay';

/** Returns the actions that make sense for a run in its present status, the most likely one first. */
function actionsFor(run: Pick<Run, 'status'>): readonly RunAction[] {
  if (run.status === 'paused') return ['resume', 'stop', 'cancel'];
  if (run.status === 'failed') return ['retry', 'replay'];
  if (run.status === 'terminated') return ['resume', 'replay'];
  if (hasEnded(run)) return ['replay'];
  return run.status === 'stopping' ? ['cancel'] : ['pause', 'stop', 'cancel'];
}

/** An action in words. */
interface Consequence {
  /** Its button. */
  readonly button: string;
  /** Effect of the action. */
  readonly will: string;
  /** Question of the confirmation; absent: the action has no confirmation, because it can be undone. */
  readonly asks?: string;
  /** Button that confirms it. */
  readonly confirm?: string;
}

/** Returns the texts of an action, with its effect on this run. */
function consequenceOf(action: RunAction, run: Run): Consequence {
  return consequences[action](run);
}

const named = ({ title, workflow }: Run): string => `“${title ?? workflow}”`;

const consequences: Readonly<Record<RunAction, (run: Run) => Consequence>> = {
  pause: () => ({
    button: 'Pause',
    will: 'No further activation starts. Executing ones finish, and the run waits to be resumed.',
  }),
  resume: ({ stop }) => ({
    button: 'Resume',
    will: stop?.code === 'budget' ? 'The run continues with the new limit.' : 'The run continues.',
    ...(stop?.code === 'budget' ? { asks: 'Raise the budget and resume?', confirm: 'Resume with this limit' } : {}),
  }),
  stop: (run) => ({
    button: 'Stop',
    will: 'Executing activations finish, then the run ends. It can be resumed afterwards.',
    asks: `Stop ${named(run)}?`,
    confirm: 'Stop the run',
  }),
  cancel: (run) => ({
    button: 'Cancel',
    will: `The run ends for good: executing activations are aborted${withdrawn(run)}. It cannot be resumed.`,
    asks: `Cancel ${named(run)}?`,
    confirm: 'Cancel the run',
  }),
  retry: ({ error }) => ({
    button: 'Retry',
    will: `${error?.node === undefined ? 'Everything that failed' : `${error.node} and everything else that failed`} starts again. Successful calls are not paid again.`,
  }),
  replay: (run) => ({
    button: 'Replay',
    will: 'A new run repeats this one from its journal: no model is asked, no person is asked, and nothing is paid.',
    asks: `Replay ${named(run)}?`,
    confirm: 'Start the replay',
  }),
};

function withdrawn({ tasks, usage }: Run): string {
  const questions =
    tasks.length === 0
      ? ''
      : tasks.length === 1
        ? ', one question is withdrawn'
        : `, ${tasks.length} questions are withdrawn`;
  const { microUsd = 0 } = usage;
  return microUsd === 0 ? questions : `${questions}, and the ${formatMoney(microUsd)} that it has cost are spent`;
}

/** Executes an action. Returns the changed run, or for a replay the new one. */
async function performAction(run: RunHandle, action: RunAction, usd: number | undefined): Promise<Run> {
  if (action === 'replay') return (await run.replay()).describe();
  if (action === 'resume' && usd !== undefined) return run.resume({ budget: { usd } });
  return run[action]();
}
