import type { ReactNode } from 'react';
import { Dialog } from '../controls/dialog.tsx';
import classes from '../controls/form.module.css';
import { Problem } from '../states/problem.tsx';
import { CopyAs } from './copy-as.tsx';
import type { OperationCopy } from './copy-of.ts';

interface ConfirmDialogProps {
  readonly title: string;
  /** Effect of the action. */
  readonly will: string;
  /** Button that confirms it. */
  readonly confirm: string;
  readonly isDanger?: boolean;
  readonly isPending: boolean;
  /** null: none. */
  readonly error: unknown;
  readonly act: () => void;
  readonly close: () => void;
  /** The action as a command and as a request, for copying. */
  readonly copied: OperationCopy;
  readonly children?: ReactNode;
}

/** A dialog that describes the effect of an action, and executes it after a confirmation. */
export function ConfirmDialog({ title, will, confirm, isDanger = false, children, ...state }: ConfirmDialogProps) {
  const { isPending, error, act, close, copied } = state;
  return (
    <Dialog title={title} close={close}>
      <form
        className={`${classes['form']} stack`}
        onSubmit={(event) => {
          event.preventDefault();
          act();
        }}
      >
        <p>{will}</p>
        {children}
        {error !== null && <Problem error={error} />}
        <div className={`${classes['buttons']} row wrap`}>
          <CopyAs of={copied} />
          <button type="button" className="button" onClick={close}>
            Leave it as it is
          </button>
          <button type="submit" className={`button ${isDanger ? 'danger' : 'primary'}`} disabled={isPending}>
            {confirm}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
