import { Check } from 'lucide-react';
import classes from './done.module.css';

/** Says what an action did; nothing before there was one. */
export const Done = ({ children }: { readonly children: string | undefined }) => (
  <div role="status">
    {children !== undefined && (
      <p className={classes['done']}>
        <Check aria-hidden size={14} /> {children}
      </p>
    )}
  </div>
);
