import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatAge, formatCount } from '../values/format.ts';
import { useNow } from '../values/time.tsx';
import classes from './notes.module.css';

/** Shows the result of the last action; nothing before the first one. */
export const Done = ({ children }: { readonly children: ReactNode }) => (
  <div role="status">
    {children !== undefined && (
      <p className="note tinted spaced row" data-tone="completed">
        <Check aria-hidden size={14} /> {children}
      </p>
    )}
  </div>
);

interface PartialProps {
  readonly looked: number;
  readonly found: number;
  readonly noun: string;
  readonly goOn: () => void;
}

/** End of a list that was searched in part, with a button that continues. */
export const Partial = ({ looked, found, noun, goOn }: PartialProps) => (
  <p className={`${classes['partial']} row wrap muted`}>
    Looked through {formatCount(looked)} {noun}, {formatCount(found)} match.
    <button type="button" className="button" onClick={goOn}>
      Go on
    </button>
  </p>
);

/** Shows the age of data that could not be updated. */
export function Stale({ at, isStale }: { readonly at: number; readonly isStale: boolean }) {
  return isStale ? <Note at={at} /> : null;
}

const Note = ({ at }: { readonly at: number }) => (
  <p className={`${classes['stale']} muted small`}>What follows is as of {formatAge(at, useNow())}.</p>
);
