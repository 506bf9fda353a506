import type { Run, RunHandle } from '@millrace/client';
import { formatMoney } from '../../kit/values/format.ts';
import { hasEnded } from '../has-ended.ts';

/** Something that can be done with a run. */
export type RunAction = 'pause' | 'resume' | 'stop' | 'cancel' | 'retry' | 'replay';

/** Returns the actions that make sense for a run in its present status, the most likely one first. */
export function actionsFor(run: Pick<Run, 'status'>): readonly RunAction[] {
  if (run.status === 'paused') return ['resume', 'stop', 'cancel'];
  if (run.status === 'failed') return ['retry', 'replay'];
  if (run.status === 'terminated') return ['resume', 'replay'];
  if (hasEnded(run)) return ['replay'];
  return run.status === 'stopping' ? ['cancel'] : ['pause', 'stop', 'cancel'];
}

/** An action in words. */
export interface Consequence {
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
export function consequenceOf(action: RunAction, run: Run): Consequence {
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
export async function performAction(run: RunHandle, action: RunAction, usd: number | undefined): Promise<Run> {
  if (action === 'replay') return (await run.replay()).describe();
  if (action === 'resume' && usd !== undefined) return run.resume({ budget: { usd } });
  return run[action]();
}
