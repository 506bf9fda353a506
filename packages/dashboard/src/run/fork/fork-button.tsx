import { GitFork, Pencil } from 'lucide-react';
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

/** Button that opens the same dialog at the system prompt, beside what a model was asked. */
export function ForkPromptButton({ run, activation }: ForkButtonProps) {
  const [isAsked, ask] = useState(false);
  return (
    <>
      <button type="button" className="link-button inline" onClick={() => ask(true)}>
        <Pencil aria-hidden size={13} /> Fork with this prompt changed
      </button>
      <Suspense>
        {isAsked && <ForkDialog run={run} activation={activation} first="settings" close={() => ask(false)} />}
      </Suspense>
    </>
  );
}
