import { useEffect, useState } from 'react';
import type { Check, TextGraphs } from '../editor/use-check.ts';
import classes from '../editor/workflow-editor.module.css';
import { graphIdIn } from '../text/graph-id.ts';
import { TextGraph } from './text-graph.tsx';

interface TextPictureProps {
  readonly check: Check;
  /** Path of the node at the cursor. */
  readonly node: string | undefined;
  readonly choose: (path: string) => void;
}

/** The newest graphs that were drawn, and the id of the workflow that they belong to. */
interface Drawn {
  readonly id: string;
  readonly graphs: TextGraphs;
}

/** The picture of the text; while the text has errors, that of the last text without. */
export function TextPicture({ check: { graphs, checked }, node, choose }: TextPictureProps) {
  const id = graphIdIn(checked?.text ?? '');
  const [last, keep] = useState<Drawn>();
  useEffect(() => {
    if (graphs !== undefined) keep({ id, graphs });
  }, [graphs, id]);
  // A text that was pasted over another one has nothing in common with its graph.
  const drawn = graphs ?? (last?.id === id ? last.graphs : undefined);
  return (
    <section className={classes['picture']} aria-label="Graph of the text">
      {drawn === undefined ? (
        <p className={classes['hint']}>The graph is drawn once the text has no errors.</p>
      ) : (
        <TextGraph graphs={drawn.graphs} isOutdated={graphs === undefined} node={node} choose={choose} />
      )}
    </section>
  );
}
