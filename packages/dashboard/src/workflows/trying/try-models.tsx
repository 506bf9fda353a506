import { Segmented } from '../../kit/controls/segmented.tsx';
import classes from '../editor/workflow-editor.module.css';
import workflows from '../workflows.module.css';
import type { Trial } from './trial.ts';

interface TryModelsProps {
  readonly trial: Trial;
  /** The text names models that are not scripted. */
  readonly asksModels: boolean;
  readonly change: (changed: Partial<Trial>) => void;
}

/** Choice of scripted models with their answer, or of those that the text names with a budget. */
export const TryModels = ({ trial: { models, reply, limit }, asksModels, change }: TryModelsProps) => (
  <>
    {asksModels && (
      <div className={workflows['choice']}>
        <Segmented
          label="Models"
          options={{ scripted: 'Scripted models', real: 'Models as written' }}
          value={models}
          choose={(chosen) => change({ models: chosen })}
        />
        <span className={classes['hint']}>
          {models === 'scripted' ? 'No model is asked, and nothing is paid.' : 'Models are asked, which costs money.'}
        </span>
      </div>
    )}
    {models === 'scripted' ? (
      <label className={workflows['field']}>
        What each model answers; empty: it repeats what it is told
        <textarea rows={2} value={reply} onChange={({ target }) => change({ reply: target.value })} />
      </label>
    ) : (
      asksModels && (
        <label className={workflows['field']}>
          Budget in US dollars; empty: as the workflow says
          <input
            type="number"
            min="0"
            step="any"
            value={limit}
            onChange={({ target }) => change({ limit: target.value })}
          />
        </label>
      )
    )}
  </>
);
