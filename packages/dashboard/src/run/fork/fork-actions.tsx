import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { ConfirmDialog } from '../../kit/commands/confirm-dialog.tsx';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { ActionButton } from '../../kit/commands/resource-actions.tsx';
import { CopyProgress, newRunId } from './copy-progress.tsx';
import { ForkButton } from './fork-button.tsx';
import classes from './fork-dialog.module.css';

interface ForkActionsProps {
  readonly run: string;
  readonly activation: string;
}

/** Buttons that start another run at an activation. */
export const ForkActions = (props: ForkActionsProps) => (
  <p className={`${classes['actions']} row wrap`}>
    <ForkButton {...props} />
    <ReplayFromButton {...props} />
  </p>
);

interface ReplayFromButtonProps {
  readonly run: string;
  readonly activation: string;
}

/** Button that repeats a run from its journal up to an activation, and executes the rest. */
function ReplayFromButton({ run, activation }: ReplayFromButtonProps) {
  /** Id of the run that is asked for. */
  const [asked, ask] = useState<string>();
  const navigate = useNavigate();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (runId: string) => millrace.runs.get(run).replay({ liveFrom: activation, runId }),
    onSuccess: ({ id }) => void navigate({ to: '/runs/$run/graph', params: { run: id } }),
  });
  return (
    <>
      <ActionButton
        scope="run"
        title="Start a run that repeats the past up to here, and executes the rest again"
        act={() => {
          reset();
          ask(newRunId());
        }}
      >
        <RotateCcw aria-hidden size={14} /> Replay from here
      </ActionButton>
      {asked !== undefined && (
        <ConfirmDialog
          title={`Replay up to ${activation}?`}
          will={`A new run repeats what became due before ${activation} from the journal: nothing is asked, nothing is paid. ${activation} and what became due after it are executed, and paid, again.`}
          confirm="Start the replay"
          isPending={isPending}
          error={error}
          act={() => mutate(asked)}
          close={() => ask(undefined)}
          copied={copyOf('runs.replay', { id: run, liveFrom: activation })}
        >
          {isPending && <CopyProgress run={asked} />}
        </ConfirmDialog>
      )}
    </>
  );
}
