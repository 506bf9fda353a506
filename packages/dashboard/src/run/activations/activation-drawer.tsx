import { Drawer, DrawerSteps } from '../../kit/layout/drawer.tsx';
import { ForkActions } from '../fork/fork-actions.tsx';
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
      actions={<DrawerSteps of="Activation" before={before} after={after} show={show} />}
    >
      <ForkActions key={activation} run={run} activation={activation} />
      <ActivationView key={activation} run={run} activation={activation} />
    </Drawer>
  );
}
