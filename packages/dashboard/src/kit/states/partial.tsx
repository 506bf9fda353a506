import { formatCount } from '../values/format.ts';
import classes from './partial.module.css';

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
