import type { ReactNode } from 'react';
import { useMissingScope } from '../../api/use-caller.ts';

interface AllowedProps {
  readonly scope: 'run' | 'answer' | 'admin';
  readonly children: ReactNode;
}

/** Shows what only callers with a scope can use, such as a link to a form; nothing to others. */
export const Allowed = ({ scope, children }: AllowedProps) => (useMissingScope(scope) === undefined ? children : null);
