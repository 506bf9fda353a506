import { useMutation } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import type { Kind } from '../../api/query-client.ts';
import { useStore } from '../../api/store.ts';
import { reachability } from '../../api/transport.ts';
import { useMissingScope } from '../../api/use-caller.ts';
import { Menu, MenuItem } from '../controls/menu.tsx';
import type { ShortcutName } from '../shortcuts/shortcuts.ts';
import { useShortcut } from '../shortcuts/shortcuts.ts';
import { isUnreached, Problem } from '../states/problem.tsx';
import { useOfferedCommands } from './commands.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import type { OperationCopy } from './copy-of.ts';
import classes from './resource-actions.module.css';

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
  /** Actions that are in a menu instead of on buttons, and what follows them there. */
  readonly menu?: { readonly ids: readonly string[]; readonly more: ReactNode };
}

/** Buttons for the actions on a resource, with their confirmations and results; also as commands and under their shortcuts. */
export function ResourceActions({ actions, changes, done, children, menu }: ResourceActionsProps) {
  const [id, ask] = useState<string>();
  const [result, setResult] = useState<ReactNode>();
  const { mutate, isPending, error, reset, variables } = useMutation({
    mutationFn: (action: ResourceAction) => action.act(),
    onSuccess: (result) => {
      ask(undefined);
      (done ?? setResult)(result);
    },
    meta: { changes: [changes] },
  });
  const missing = { run: useMissingScope('run'), admin: useMissingScope('admin') };
  const reasonOf = ({ scope, obstacle }: ResourceAction) => (scope && missing[scope]) ?? obstacle;
  const request = (action: ResourceAction) => {
    // Shortcuts and commands come here without a button.
    if (reasonOf(action) !== undefined || isPending) return;
    reset();
    if (action.asks === undefined) mutate(action);
    else ask(action.id);
  };
  useOfferedCommands(
    actions.flatMap((action) =>
      action.command === undefined || reasonOf(action) !== undefined
        ? []
        : [{ id: action.id, title: action.command, act: () => request(action) }],
    ),
  );
  const asked = actions.find((action) => action.id === id);
  const isReached = useStore(reachability).isReached;
  // What was refused while the server was away can be tried again: the buttons are there.
  const isOver = isUnreached(error) && isReached;
  return (
    <>
      {done === undefined && <span role="status">{result}</span>}
      {children}
      {actions
        .filter((action) => menu?.ids.includes(action.id) !== true)
        .map((action) => (
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
      {menu !== undefined && (
        <Menu
          label={
            <>
              More <ChevronDown aria-hidden size={14} />
            </>
          }
        >
          {actions
            .filter((action) => menu.ids.includes(action.id))
            .map((action) => (
              <MenuItem
                key={action.id}
                act={() => request(action)}
                note={reasonOf(action) ?? action.will}
                isDisabled={reasonOf(action) !== undefined || isPending}
              >
                {action.button}
              </MenuItem>
            ))}
          {menu.more}
        </Menu>
      )}
      {actions.map(
        ({ shortcut, ...action }) =>
          shortcut && <Shortcut key={shortcut} name={shortcut} act={() => request(action)} />,
      )}
      {error !== null && asked === undefined && !isOver && (
        <div className={classes['problem']}>
          <Problem error={error} retry={() => variables && mutate(variables)} />
        </div>
      )}
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
  readonly tone?: 'primary' | 'danger' | 'link' | undefined;
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
      className={tone === 'link' ? 'link-button inline' : `button ${tone ?? ''}`}
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
