import { ForkButton } from './fork-button.tsx';
import classes from './fork-dialog.module.css';
import { ReplayFromButton } from './replay-from-button.tsx';

interface ForkActionsProps {
  readonly run: string;
  readonly activation: string;
}

/** Buttons that start another run at an activation. */
export const ForkActions = (props: ForkActionsProps) => (
  <p className={classes['actions']}>
    <ForkButton {...props} />
    <ReplayFromButton {...props} />
  </p>
);
