import type { ReactNode } from 'react';
import classes from './empty.module.css';

/** An empty screen or list: one sentence, and an action that changes this. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className={`${classes['empty']} stack muted`}>
      <strong>{title}</strong>
      {children}
    </div>
  );
}

/** Grey lines in the geometry of the loading content, shown after a short delay. */
export function Skeleton({ rows, rowHeight = 32 }: { readonly rows: number; readonly rowHeight?: number }) {
  return (
    <div className={classes['skeleton']} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <span key={row} style={{ height: rowHeight }} />
      ))}
    </div>
  );
}
