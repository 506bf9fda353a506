import { GitFork, Pencil } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useMissingScope } from '../../api/use-caller.ts';
import { ActionButton } from '../../kit/commands/resource-actions.tsx';
import { useShortcut } from '../../kit/shortcuts/shortcuts.ts';

const ForkDialog = lazy(async () => ({ default: (await import('./fork-dialog.tsx')).ForkDialog }));

interface ForkButtonProps {
  readonly run: string;
  readonly activation: string;
}

/** Button that opens the dialog for a fork of a run at an activation. */
export function ForkButton({ run, activation }: ForkButtonProps) {
  const [isAsked, ask] = useState(false);
  const missing = useMissingScope('run');
  useShortcut('fork', () => ask(true), missing === undefined);
  return (
    <>
      <ActionButton scope="run" act={() => ask(true)} title="Start a run that shares the past up to here (f)">
        <GitFork aria-hidden size={14} /> Fork here
      </ActionButton>
      <Suspense>{isAsked && <ForkDialog run={run} activation={activation} close={() => ask(false)} />}</Suspense>
    </>
  );
}

/** Button that opens the same dialog at the system prompt, beside what a model was asked. */
export function ForkPromptButton({ run, activation }: ForkButtonProps) {
  const [isAsked, ask] = useState(false);
  return (
    <>
      <ActionButton scope="run" tone="link" act={() => ask(true)}>
        <Pencil aria-hidden size={13} /> Fork with this prompt changed
      </ActionButton>
      <Suspense>
        {isAsked && <ForkDialog run={run} activation={activation} first="settings" close={() => ask(false)} />}
      </Suspense>
    </>
  );
}
