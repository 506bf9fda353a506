import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { GitFork } from 'lucide-react';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { useShortcut } from '../../kit/shortcuts/use-shortcut.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface ForkButtonProps {
  readonly run: string;
  readonly activation: string;
  /** Id of its node. */
  readonly node: string;
}

/** Button that starts a run which shares the past of this one up to an activation. */
export function ForkButton({ run, activation, node }: ForkButtonProps) {
  const [isAsked, ask] = useState(false);
  const navigate = useNavigate();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => millrace.runs.get(run).fork({ at: activation }),
    onSuccess: ({ id }) => void navigate({ to: '/runs/$run/graph', params: { run: id } }),
  });
  const open = () => {
    reset();
    ask(true);
  };
  useShortcut('fork', open);
  return (
    <>
      <button type="button" className="button" onClick={open} title="Start a run that shares the past up to here (f)">
        <GitFork aria-hidden size={14} /> Fork here
      </button>
      {isAsked && (
        <ConfirmDialog
          title={`Fork before ${node}, ${activation}?`}
          will={`A new run begins with everything that happened before ${activation}, which is not paid again. From there ${node} and what follows are executed, and paid, once more.`}
          confirm="Start the fork"
          isPending={isPending}
          error={error}
          act={() => mutate()}
          close={() => ask(false)}
        />
      )}
    </>
  );
}
