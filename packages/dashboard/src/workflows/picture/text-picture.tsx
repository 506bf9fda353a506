import { useEffect, useState } from 'react';
import type { Check, TextGraphs } from '../editor/use-check.ts';
import classes from '../editor/workflow-editor.module.css';
import { TextGraph } from './text-graph.tsx';

interface TextPictureProps {
  readonly check: Check;
  /** Path of the node at the cursor. */
  readonly node: string | undefined;
  readonly choose: (path: string) => void;
}

/** The picture of the text; while the text has errors, that of the last text without. */
export function TextPicture({ check: { graphs }, node, choose }: TextPictureProps) {
  const [drawn, draw] = useState<TextGraphs | undefined>(graphs);
  useEffect(() => {
    if (graphs !== undefined) draw(graphs);
  }, [graphs]);
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
