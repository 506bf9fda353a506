import type { EdgeProps } from '@xyflow/react';
import { memo, useState } from 'react';
import type { Point } from '../layout/geometry.ts';
import type { EdgeView } from '../view/edge-view.ts';
import classes from './graph-edge.module.css';

/** Content of an edge of the canvas. */
export interface GraphEdgeData {
  readonly edge: EdgeView;
  readonly path: string;
  readonly label: Point;
  readonly isDimmed: boolean;
}

/** Characters of a condition that are drawn; its title has all of them. */
const mostCharacters = 26;

/** One edge along its course, with its condition in words and how often it has passed something on. */
export const GraphEdge = memo(function GraphEdge({ data, markerEnd }: EdgeProps) {
  const { edge, path, label, isDimmed } = data as unknown as GraphEdgeData; // as the canvas makes it
  const kind = edge.onError ? 'onError' : edge.trigger ? 'triggers' : 'carries';
  const text = labelOf(edge);
  // What had passed before it was drawn is no news.
  const [before] = useState(edge.passed);
  return (
    <g className={`${classes['edge']} ${classes[kind]}`} data-passed={edge.passed > 0} data-dimmed={isDimmed}>
      <path d={path} className={classes['line']} {...(markerEnd === undefined ? {} : { markerEnd })} />
      {edge.passed > before && <path key={edge.passed} d={path} className={classes['pulse']} />}
      {text !== '' && (
        <text x={label.x} y={label.y} className={classes['label']}>
          <title>{titleOf(edge)}</title>
          {text}
        </text>
      )}
    </g>
  );
});

/** Returns the label of an edge: its condition in words, a dash when that was not met last, and how often it passed. */
export function labelOf({ condition, conditional, onError, passed, missed }: EdgeView): string {
  const words = condition ?? (onError ? 'on failure' : conditional ? 'if' : '');
  const short = words.length > mostCharacters ? `${words.slice(0, mostCharacters - 1)}…` : words;
  const isMissed = missed === true && conditional;
  return [isMissed ? `– ${short}` : short, passed > 0 ? `${passed}×` : ''].filter((word) => word !== '').join(' · ');
}

function titleOf({ from, to, condition, missed, passed }: EdgeView): string {
  const when = condition === undefined ? '' : ` ${condition}`;
  const last = missed === true ? ', not the last time' : '';
  return `${from} → ${to}${when}: passed ${passed}×${last}`;
}
