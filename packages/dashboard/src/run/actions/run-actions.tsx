import type { Run } from '@millrace/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { hasEnded } from '../../activations/has-ended.ts';
import { millrace } from '../../api/millrace.ts';
import { useMissingScope } from '../../api/use-caller.ts';
import { CopyItems } from '../../kit/commands/copy-as.tsx';
import { copyOf } from '../../kit/commands/copy-of.ts';
import type { ResourceAction } from '../../kit/commands/resource-actions.tsx';
import { ResourceActions } from '../../kit/commands/resource-actions.tsx';
import { MenuItem, MenuSeparator } from '../../kit/controls/menu.tsx';
import { useIsNarrow } from '../../kit/layout/use-is-narrow.ts';
import { useShortcut } from '../../kit/shortcuts/shortcuts.ts';
import { formatMoney } from '../../kit/values/format.ts';
import { answerField } from '../../questions/answer-form.tsx';
import { runQuery } from '../follow/run-queries.ts';
import { CopyProgress, newRunId } from '../fork/copy-progress.tsx';
import classes from './run-actions.module.css';

/** Buttons for the actions that a run allows now; irreversible actions are confirmed first. */
export function RunActions({ run }: { readonly run: Run }) {
  const { runId } = run;
  const [limit, setLimit] = useState('');
  const [replay, setReplay] = useState(newRunId);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const again = { to: '/runs/new', search: { from: runId } } as const;
  const actions = actionsFor(run).map((id): ResourceAction => {
    const { button, ...texts } = textsOf[id](run);
    const raised =
      id === 'resume' && texts.asks !== undefined && limit !== '' ? { budget: { usd: Number(limit) } } : {};
    return {
      ...texts,
      id,
      button,
      scope: 'run',
      command: `${button} this run`,
      copied: copyOf(`runs.${id}`, { id: runId, ...raised }),
      ...(id === 'resume' ? { field: <LimitField value={limit} change={setLimit} /> } : {}),
      ...(id === 'replay' ? { field: <CopyProgress run={replay} /> } : {}),
      act: async () => {
        const handle = millrace.runs.get(runId);
        const changed =
          id === 'replay'
            ? await (await handle.replay({ runId: replay })).describe()
            : id === 'resume'
              ? await handle.resume(raised)
              : await handle[id]();
        queries.setQueryData(runQuery(changed.runId).queryKey, changed);
        if (id === 'replay') {
          // The next one is another run.
          setReplay(newRunId());
          void navigate({ to: '/runs/$run/graph', params: { run: changed.runId } });
        }
        return undefined;
      },
    };
  });
  const isNarrow = useIsNarrow();
  const mayStart = useMissingScope('run') === undefined;
  const ids = actions.map(({ id }) => id);
  // On a phone, there is room for the one that is most likely wanted: an answer, if one is missing.
  const inMenu = isNarrow
    ? ids.slice(run.tasks.length > 0 ? 0 : 1)
    : ids.filter((id) => id === 'stop' || id === 'cancel');
  return (
    <>
      <AnswerLink run={run} />
      <ResourceActions
        changes="runs"
        actions={actions}
        menu={{
          ids: inMenu,
          more: (
            <>
              {isNarrow && mayStart && (
                <MenuItem act={() => void navigate(again)} note={againTitle}>
                  Run again
                </MenuItem>
              )}
              {((isNarrow && mayStart) || inMenu.length > 0) && <MenuSeparator />}
              <CopyItems
                of={{
                  Show: copyOf('runs.get', { id: runId }),
                  Watch: copyOf('runs.events', { id: runId }),
                  ...Object.fromEntries(
                    actions.map(({ button, id }) => [String(button), copyOf(`runs.${id as RunAction}`, { id: runId })]),
                  ),
                }}
              />
            </>
          ),
        }}
      >
        {!isNarrow && mayStart && (
          <Link className="button" {...again} title={againTitle}>
            Run again
          </Link>
        )}
      </ResourceActions>
    </>
  );
}

const againTitle = 'Start another run with the same task and settings';

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

const named = ({ title, workflow }: Run): string => `“${title ?? workflow}”`;

/** Texts of an action, with its effect on a run. Those that can be undone have no confirmation. */
type Texts = Pick<ResourceAction, 'will' | 'asks' | 'confirm' | 'danger' | 'shortcut'> & { readonly button: string };

const textsOf: Readonly<Record<RunAction, (run: Run) => Texts>> = {
  pause: () => ({
    button: 'Pause',
    shortcut: 'pause',
    will: 'No further activation starts. Executing ones finish, and the run waits to be resumed.',
  }),
  resume: ({ stop }) => ({
    button: 'Resume',
    shortcut: 'pause',
    will: stop?.code === 'budget' ? 'The run continues with the new limit.' : 'The run continues.',
    ...(stop?.code === 'budget' ? { asks: 'Raise the budget and resume?', confirm: 'Resume with this limit' } : {}),
  }),
  stop: (run) => ({
    button: 'Stop',
    danger: 'confirmed',
    will: 'Executing activations finish, then the run ends. It can be resumed afterwards.',
    asks: `Stop ${named(run)}?`,
    confirm: 'Stop the run',
  }),
  cancel: (run) => ({
    button: 'Cancel',
    danger: 'always',
    shortcut: 'cancel',
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
    shortcut: 'replay',
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

interface LimitFieldProps {
  readonly value: string;
  readonly change: (value: string) => void;
}

const LimitField = ({ value, change }: LimitFieldProps) => (
  <label className={`${classes['limit']} stack`}>
    Limit of the whole run, in US dollars
    <input type="number" min="0" step="any" required value={value} onChange={({ target }) => change(target.value)} />
  </label>
);

/** Link to the form for the answer to the first question that a run waits for. */
function AnswerLink({ run: { runId, tasks } }: { readonly run: Run }) {
  const navigate = useNavigate();
  const [first, ...others] = tasks;
  const missing = useMissingScope('answer');
  const place = { to: '/runs/$run/graph', params: { run: runId }, hash: answerField(first?.id ?? '') } as const;
  useShortcut('answer', () => void navigate(place), first !== undefined);
  if (first === undefined) return null;
  const question = others.length === 0 ? 'the question' : 'the first question';
  return (
    <Link className={missing === undefined ? 'button primary' : 'button'} {...place} title={missing}>
      {missing === undefined ? `Answer ${question}` : `Show ${question}`}
    </Link>
  );
}
