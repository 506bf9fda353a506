import { ChevronDown, ChevronUp } from 'lucide-react';
import { Drawer } from '../../kit/layout/drawer.tsx';
import { ForkActions } from '../fork/fork-actions.tsx';
import classes from './activation-view.module.css';
import { ActivationView } from './activation-view.tsx';
import { useActivation } from './use-activation.ts';

interface ActivationDrawerProps {
  readonly run: string;
  readonly activation: string;
  /** Shows another activation, or none. */
  readonly show: (activation: string | undefined) => void;
  /** Ids of the activations before and after it in the list beside. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** One activation beside the list that it was chosen from. */
export function ActivationDrawer({ run, activation, show, before, after }: ActivationDrawerProps) {
  const { data } = useActivation(run, activation);
  const name = data === undefined ? activation : `${data.node === '' ? 'Vote' : data.node} · ${activation}`;
  return (
    <Drawer
      title={name}
      close={() => show(undefined)}
      actions={
        <span className={`${classes['steps']} row`}>
          <Step label="Activation before" icon={ChevronUp} to={before} show={show} />
          <Step label="Activation after" icon={ChevronDown} to={after} show={show} />
        </span>
      }
    >
      <ForkActions key={activation} run={run} activation={activation} />
      <ActivationView key={activation} run={run} activation={activation} />
    </Drawer>
  );
}

interface StepProps {
  readonly label: string;
  readonly icon: typeof ChevronUp;
  readonly to: string | undefined;
  readonly show: (activation: string) => void;
}

const Step = ({ label, icon: Icon, to, show }: StepProps) => (
  <button
    type="button"
    className="icon-button"
    aria-label={label}
    title={label}
    disabled={to === undefined}
    onClick={() => to !== undefined && show(to)}
  >
    <Icon aria-hidden size={16} />
  </button>
);
