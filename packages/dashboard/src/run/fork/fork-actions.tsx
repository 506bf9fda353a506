import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { ConfirmDialog } from '../../kit/commands/confirm-dialog.tsx';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { ActionButton } from '../../kit/commands/resource-actions.tsx';
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
  const [isAsked, ask] = useState(false);
  const navigate = useNavigate();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => millrace.runs.get(run).replay({ liveFrom: activation }),
    onSuccess: ({ id }) => void navigate({ to: '/runs/$run/graph', params: { run: id } }),
  });
  return (
    <>
      <ActionButton
        scope="run"
        title="Start a run that repeats the past up to here, and executes the rest again"
        act={() => {
          reset();
          ask(true);
        }}
      >
        <RotateCcw aria-hidden size={14} /> Replay from here
      </ActionButton>
      {isAsked && (
        <ConfirmDialog
          title={`Replay up to ${activation}?`}
          will={`A new run repeats what became due before ${activation} from the journal: nothing is asked, nothing is paid. ${activation} and what became due after it are executed, and paid, again.`}
          confirm="Start the replay"
          isPending={isPending}
          error={error}
          act={() => mutate()}
          close={() => ask(false)}
          copied={copyOf('runs.replay', { id: run, liveFrom: activation })}
        />
      )}
    </>
  );
}
