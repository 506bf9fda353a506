import type { ReactNode } from 'react';

interface SubmitButtonProps {
  readonly isPending: boolean;
  /** Reason why the form cannot be sent; absent: it can. */
  readonly obstacle: string | undefined;
  readonly children: ReactNode;
}

/** Button that sends a form; a disabled one shows the reason. The form checks the obstacle, too, as Enter also sends it. */
export const SubmitButton = ({ isPending, obstacle, children }: SubmitButtonProps) => (
  <button
    type="submit"
    className="button primary"
    disabled={isPending}
    aria-disabled={obstacle !== undefined}
    title={obstacle}
  >
    {children}
    {obstacle !== undefined && <span className="visually-hidden">: {obstacle}</span>}
  </button>
);
