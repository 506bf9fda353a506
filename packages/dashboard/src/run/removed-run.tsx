import type { Run } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { Problem } from '../kit/states/problem.tsx';
import classes from './run-head.module.css';
import { LastRunHead } from './run-head.tsx';

interface RemovedRunProps {
  readonly run: Run;
  readonly error: unknown;
  readonly retry: () => void;
}

/** A run that was removed while the page showed it: the facts that the page last loaded, without actions and views. */
export const RemovedRun = ({ run, error, retry }: RemovedRunProps) => (
  <>
    <Problem error={error} retry={retry} />
    <p className={classes['note']}>
      This run was removed with its journal and files while this page was open. The facts below are the last that the
      page loaded. <Link to="/runs">Show all runs</Link>
    </p>
    <LastRunHead run={run} />
  </>
);
