import { GitFork } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useShortcut } from '../../kit/shortcuts/shortcuts.ts';

const ForkDialog = lazy(async () => ({ default: (await import('./fork-dialog.tsx')).ForkDialog }));

interface ForkButtonProps {
  readonly run: string;
  readonly activation: string;
}

/** Button that opens the dialog for a fork of a run at an activation. */
export function ForkButton({ run, activation }: ForkButtonProps) {
  const [isAsked, ask] = useState(false);
  useShortcut('fork', () => ask(true));
  return (
    <>
      <button
        type="button"
        className="button"
        onClick={() => ask(true)}
        title="Start a run that shares the past up to here (f)"
      >
        <GitFork aria-hidden size={14} /> Fork here
      </button>
      <Suspense>{isAsked && <ForkDialog run={run} activation={activation} close={() => ask(false)} />}</Suspense>
    </>
  );
}
