import { formatAge } from '../values/format.ts';
import { useNow } from '../values/use-now.ts';
import classes from './stale.module.css';

/** Shows the age of data that could not be updated. */
export function Stale({ at, isStale }: { readonly at: number; readonly isStale: boolean }) {
  return isStale ? <Note at={at} /> : null;
}

const Note = ({ at }: { readonly at: number }) => (
  <p className={`${classes['stale']} muted small`}>What follows is as of {formatAge(at, useNow())}.</p>
);
