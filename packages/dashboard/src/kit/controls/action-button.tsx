import type { ReactNode } from 'react';
import { useMissingScope } from '../../api/use-missing-scope.ts';

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
