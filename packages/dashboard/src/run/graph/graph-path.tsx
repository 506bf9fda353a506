import { Segmented } from '../../kit/controls/segmented.tsx';
import { useShortcut } from '../../kit/shortcuts/use-shortcut.ts';
import classes from './graph-tab.module.css';
import type { RunGraph } from './run-graph.ts';
import { placeInside } from './use-actions.ts';
import { usePlace } from './use-place.ts';

interface GraphPathProps {
  readonly graphs: readonly RunGraph[];
  /** Key of the graph that is shown. */
  readonly of: string;
  readonly isTable: boolean;
}

/** The way from the root graph to the one that is shown, and the choice between picture and table. */
export function GraphPath({ graphs, of, isTable }: GraphPathProps) {
  const [, move] = usePlace();
  const enter = (key: string) => move(placeInside(key), { isStep: true });
  const show = (view: 'table' | 'picture') => move({ view });
  useShortcut('table', () => show(isTable ? 'picture' : 'table'));
  const parts = of === '' ? [] : of.split('/');
  return (
    <div className={classes['bar']}>
      {parts.length > 0 && (
        <nav aria-label="Graphs" className={classes['path']}>
          <button type="button" onClick={() => enter('')}>
            {graphs.find(({ key }) => key === '')?.id ?? 'root graph'}
          </button>
          {parts.map((part, at) => {
            const key = parts.slice(0, at + 1).join('/');
            const isLast = at === parts.length - 1;
            return (
              <span key={key}>
                <span aria-hidden> ▸ </span>
                {isLast ? (
                  <strong aria-current="page">{part}</strong>
                ) : (
                  <button type="button" onClick={() => enter(key)}>
                    {part}
                  </button>
                )}
              </span>
            );
          })}
        </nav>
      )}
      <Segmented
        label="Form of the graph"
        options={{ picture: 'Picture', table: 'Table' }}
        value={isTable ? 'table' : 'picture'}
        choose={show}
      />
    </div>
  );
}
