import { toneOf } from '../../../kit/values/status.tsx';
import type { NodeView } from '../view/node-view.ts';
import classes from './node-line.module.css';

/** Nodes that are drawn of a closed graph. */
const mostNodes = 40;

/** The nodes of a closed graph as small blocks with their states. */
export function InnerStates({ states }: { readonly states: string }) {
  return (
    <span className={classes['blocks']} aria-hidden>
      {(states.split(' ') as NodeView['status'][]).slice(0, mostNodes).map((state, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the nodes of a graph never change their order
        <i key={at} data-tone={toneOf(state)} />
      ))}
    </span>
  );
}
