import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import classes from './done.module.css';

/** Shows the result of the last action; nothing before the first one. */
export const Done = ({ children }: { readonly children: ReactNode }) => (
  <div role="status">
    {children !== undefined && (
      <p className={`${classes['done']} row`}>
        <Check aria-hidden size={14} /> {children}
      </p>
    )}
  </div>
);
