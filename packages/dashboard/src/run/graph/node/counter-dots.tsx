import { formatCount } from '../../../kit/values/format.ts';
import type { NodeView } from '../view/node-view.ts';
import classes from './node-line.module.css';

/** Triggers that are drawn one by one. */
const mostDots = 7;

/** A loop counter: a dot for each trigger, or numbers where those are many. */
export function CounterDots({ counter }: { readonly counter: NonNullable<NodeView['counter']> }) {
  const { value, limit } = counter;
  const text = `${formatCount(value)} of ${formatCount(limit)}`;
  return (
    <span className={classes['line']}>
      {limit <= mostDots && (
        <span className={classes['dots']} aria-hidden>
          {Array.from({ length: limit }, (_, dot) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the dots are all alike
            <i key={dot} data-full={dot < value} />
          ))}
        </span>
      )}
      {text}
    </span>
  );
}
