import { ChevronLeft, ChevronRight, X } from 'lucide-react';
import { useState } from 'react';
import { ActivationView } from '../activations/activation-view.tsx';
import classes from './node-panel.module.css';

interface NodePanelProps {
  readonly run: string;
  readonly node: string;
  readonly type: string;
  /** Ids of its activations, in their order. */
  readonly activations: readonly string[];
  readonly close: () => void;
}

/** Panel beside the graph with the activations of one node, the newest first. */
export function NodePanel({ run, node, type, activations, close }: NodePanelProps) {
  const [chosen, choose] = useState<number>();
  const at = Math.min(chosen ?? activations.length - 1, activations.length - 1);
  const activation = activations[at];
  return (
    <aside className={classes['panel']} aria-label={`Node ${node}`}>
      <header>
        <h2>{node}</h2>
        <code>{type}</code>
        <button type="button" onClick={close} aria-label="Close">
          <X aria-hidden size={16} />
        </button>
      </header>
      {activation === undefined ? (
        <p className={classes['none']}>It has not been due yet.</p>
      ) : (
        <>
          {activations.length > 1 && (
            <p className={classes['pages']}>
              <button type="button" disabled={at === 0} onClick={() => choose(at - 1)} aria-label="Activation before">
                <ChevronLeft aria-hidden size={14} />
              </button>
              {at + 1} of {activations.length} activations
              <button
                type="button"
                disabled={at === activations.length - 1}
                onClick={() => choose(at + 1)}
                aria-label="Activation after"
              >
                <ChevronRight aria-hidden size={14} />
              </button>
            </p>
          )}
          <ActivationView key={activation} run={run} activation={activation} />
        </>
      )}
    </aside>
  );
}
