import { useGraphs } from '../../use-graphs.ts';
import type { NodeView } from '../view/node-view.ts';
import type { NodeActivation } from './node-activations.ts';
import classes from './node-panel.module.css';

interface NodeRoutesProps {
  readonly run: string;
  readonly node: NodeView;
  readonly activation: NodeActivation;
}

/** Edges of a node: which of them the outputs of an activation went over, and which not. */
export function NodeRoutes({ run, node, activation }: NodeRoutesProps) {
  const { data } = useGraphs(run);
  const { routes } = activation;
  const graph = data?.graphs.find(({ key }) => key === node.key);
  const edges = graph?.edges.filter(({ from }) => from === node.id) ?? [];
  if (routes === undefined || activation.state !== 'completed' || edges.length === 0) return null;
  return (
    <section aria-label="Routes">
      <h3>Went to</h3>
      <ul className={classes['routes']}>
        {edges.map(({ index, to, condition, onError }) => {
          const isTaken = routes.includes(index);
          const words = condition ?? (onError ? 'on failure' : undefined);
          return (
            <li key={index} data-taken={isTaken}>
              <span aria-hidden className={classes['sign']}>
                {isTaken ? '→' : '–'}
              </span>{' '}
              {!isTaken && <span className="visually-hidden">not to</span>}
              <strong>{to}</strong>
              {words !== undefined && ` (${words})`}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
