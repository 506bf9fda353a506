import type { ActivationDetail } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { useGraphs } from '../use-graphs.ts';
import classes from './activation-view.module.css';

interface ActivationRoutesProps {
  readonly run: string;
  /** Key of the graph of the activation. */
  readonly graph: string;
  readonly routes: ActivationDetail['routes'];
}

/** Edges that an activation passed its output over, and those whose condition was not met. */
export function ActivationRoutes({ run, graph, routes = [] }: ActivationRoutesProps) {
  const { data } = useGraphs(run);
  const edges = data?.graphs.find(({ key }) => key === graph)?.edges ?? [];
  if (routes.length === 0) return null;
  const place = graph === '' ? {} : { g: graph };
  return (
    <section aria-label="Routes">
      <h3>Routes</h3>
      <ul className={classes['routes']}>
        {routes.map(({ edge, to, met }) => {
          const condition = edges[edge]?.condition;
          return (
            <li key={edge} className={met ? undefined : classes['unmet']}>
              <span aria-hidden>{met ? '→' : '⇢'}</span>
              <Link to="/runs/$run/graph" params={{ run }} search={{ ...place, n: to }}>
                {to}
              </Link>
              {condition !== undefined && <span>{condition}</span>}
              {!met && <span>not met</span>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
