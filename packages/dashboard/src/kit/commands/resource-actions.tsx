import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useState } from 'react';
import type { Kind } from '../../api/query-client.ts';
import { useMissingScope } from '../../api/use-caller.ts';
import type { ShortcutName } from '../shortcuts/shortcuts.ts';
import { useShortcut } from '../shortcuts/shortcuts.ts';
import { Problem } from '../states/problem.tsx';
import { useOfferedCommands } from './commands.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import type { OperationCopy } from './copy-of.ts';

/** An action on a resource: its texts, and how it is executed. */
export interface ResourceAction {
  readonly id: string;
  readonly button: ReactNode;
  /** Its effect, in words. */
  readonly will: string;
  /** Title of the confirmation, and the button that confirms; absent: it is executed at once. */
  readonly asks?: string;
  readonly confirm?: string;
  /** Content of the confirmation, such as a field. */
  readonly field?: ReactNode;
  /** It has the look of danger: its button and its confirmation, or its confirmation only. */
  readonly danger?: 'always' | 'confirmed';
  /** Scope that it needs; absent: the screen itself needs it. */
  readonly scope?: 'run' | 'admin';
  /** Reason why it cannot be done now; absent: it can. */
  readonly obstacle?: string | undefined;
  /** Its title in the palette; absent: it is not there. */
  readonly command?: string;
  readonly shortcut?: ShortcutName;
  /** The action as a command and as a request, for copying. */
  readonly copied: OperationCopy;
  /** Executes it. Returns its result for display, if there is one. */
  readonly act: () => Promise<ReactNode>;
}

interface ResourceActionsProps {
  readonly actions: readonly ResourceAction[];
  /** Kind of data that the actions change. */
  readonly changes: Kind;
  /** Shows the result of an action; absent: it appears before the buttons. */
  readonly done?: (result: ReactNode) => void;
  /** Other buttons, before those of the actions. */
  readonly children?: ReactNode;
}

/** Buttons for the actions on a resource, with their confirmations and results; also as commands and under their shortcuts. */
export function ResourceActions({ actions, changes, done, children }: ResourceActionsProps) {
  const [id, ask] = useState<string>();
  const [result, setResult] = useState<ReactNode>();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (action: ResourceAction) => action.act(),
    onSuccess: (result) => {
      ask(undefined);
      (done ?? setResult)(result);
    },
    meta: { changes: [changes] },
  });
  const request = (action: ResourceAction) => {
    reset();
    if (action.asks === undefined) mutate(action);
    else ask(action.id);
  };
  useOfferedCommands(
    actions.flatMap((action) =>
      action.command === undefined ? [] : [{ id: action.id, title: action.command, act: () => request(action) }],
    ),
  );
  const asked = actions.find((action) => action.id === id);
  return (
    <>
      {done === undefined && <span role="status">{result}</span>}
      {children}
      {actions.map((action) => (
        <ActionButton
          key={action.id}
          scope={action.scope}
          obstacle={action.obstacle}
          tone={action.danger === 'always' ? 'danger' : undefined}
          title={action.will}
          isPending={isPending}
          act={() => request(action)}
        >
          {action.button}
        </ActionButton>
      ))}
      {actions.map(
        ({ shortcut, ...action }) =>
          shortcut && <Shortcut key={shortcut} name={shortcut} act={() => request(action)} />,
      )}
      {error !== null && asked === undefined && <Problem error={error} retry={reset} />}
      {asked?.asks !== undefined && asked.confirm !== undefined && (
        <ConfirmDialog
          title={asked.asks}
          will={asked.will}
          confirm={asked.confirm}
          isDanger={asked.danger !== undefined}
          isPending={isPending}
          error={error}
          act={() => mutate(asked)}
          close={() => ask(undefined)}
          copied={asked.copied}
        >
          {asked.field}
        </ConfirmDialog>
      )}
    </>
  );
}

function Shortcut({ name, act }: { readonly name: ShortcutName; readonly act: () => void }) {
  useShortcut(name, act);
  return null;
}

interface ActionButtonProps {
  /** Scope that the action needs; absent: its screen needs it, too. */
  readonly scope?: 'run' | 'admin' | undefined;
  /** Reason why it cannot be done now; absent: it can. */
  readonly obstacle?: string | undefined;
  readonly tone?: 'primary' | 'danger' | undefined;
  /** Its effect, in words. */
  readonly title?: string;
  readonly isPending?: boolean;
  readonly act: () => void;
  readonly children: ReactNode;
}

/** Button of an action; a disabled one shows the reason. */
export function ActionButton({ scope, obstacle, tone, title, isPending = false, act, children }: ActionButtonProps) {
  const missing = useMissingScope(scope);
  const reason = missing ?? obstacle;
  return (
    <button
      type="button"
      className={`button ${tone ?? ''}`}
      aria-disabled={reason !== undefined}
      disabled={isPending}
      title={reason ?? title}
      onClick={() => reason === undefined && act()}
    >
      {children}
      {reason !== undefined && <span className="visually-hidden">: {reason}</span>}
    </button>
  );
}
