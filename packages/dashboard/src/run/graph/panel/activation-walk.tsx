import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useShortcut } from '../../../kit/shortcuts/use-shortcut.ts';
import { formatCount, formatDuration } from '../../../kit/values/format.ts';
import { usePlace } from '../use-place.ts';
import type { NodeActivation } from './node-activations.ts';
import classes from './node-panel.module.css';

interface ActivationWalkProps {
  readonly activations: readonly NodeActivation[];
  readonly at: number;
  /** Number of activations before the first of these. */
  readonly before: number;
}

/** Shown activation of a node, and links to the others. */
export function ActivationWalk({ activations, at, before }: ActivationWalkProps) {
  const [, move] = usePlace();
  const go = (to: number) => {
    const one = activations[Math.max(0, Math.min(activations.length - 1, to))];
    // The newest one is followed: it is not in the address.
    if (one !== undefined) move({ a: one === activations.at(-1) ? undefined : one.id });
  };
  useShortcut('nextActivation', () => go(at + 1));
  useShortcut('previousActivation', () => go(at - 1));
  const one = activations[at];
  if (one === undefined) return null;
  return (
    <p className={classes['walk']}>
      <button
        type="button"
        className={classes['icon']}
        disabled={at === 0}
        onClick={() => go(at - 1)}
        aria-label="Activation before"
        title="Activation before (p)"
      >
        <ChevronLeft aria-hidden size={14} />
      </button>
      <span>
        <strong>{one.id}</strong> · {formatCount(before + at + 1)} of {formatCount(before + activations.length)}
        {one.unit !== undefined && ` · unit ${one.unit + 1}`}
        {one.settledAt !== undefined && ` · ${formatDuration(one.settledAt - one.readyAt)}`}
      </span>
      <button
        type="button"
        className={classes['icon']}
        disabled={at === activations.length - 1}
        onClick={() => go(at + 1)}
        aria-label="Activation after"
        title="Activation after (n)"
      >
        <ChevronRight aria-hidden size={14} />
      </button>
    </p>
  );
}
