import type { ReactNode } from 'react';
import classes from './toolbar.module.css';

interface ToolbarProps {
  readonly children: ReactNode;
  /** Facts or actions at the far end. */
  readonly end?: ReactNode;
}

/** The row above a list with its filters and its actions; it wraps on narrow screens. */
export const Toolbar = ({ children, end }: ToolbarProps) => (
  <div className={`${classes['toolbar']} row wrap`}>
    {children}
    {end !== undefined && <div className={`${classes['end']} row wrap muted`}>{end}</div>}
  </div>
);
