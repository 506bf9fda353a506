import { memo, useState } from 'react';
import { labelOf } from '../flow/edge-label.ts';
import type { EdgePart } from '../flow/parts.ts';
import type { EdgeView } from '../view/edge-view.ts';
import classes from './graph-edge.module.css';

/** One edge along its path, with its condition in words and how often it has passed something on. */
export const GraphEdge = memo(function GraphEdge({ part }: { readonly part: EdgePart }) {
  const { edge, path, label, isDimmed } = part;
  const kind = edge.onError ? 'onError' : edge.trigger ? 'triggers' : 'carries';
  const text = labelOf(edge);
  // Messages that passed before the edge was drawn cause no pulse.
  const [before] = useState(edge.passed);
  const head = edge.onError ? 'failed' : edge.passed > 0 ? 'passed' : 'open';
  return (
    <g className={`${classes['edge']} ${classes[kind]}`} data-passed={edge.passed > 0} data-dimmed={isDimmed}>
      <path d={path} className={classes['line']} markerEnd={`url(#arrow-${head})`} />
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

/** Heads of edges by their state. */
const heads = { open: 'var(--line-strong)', passed: 'var(--accent)', failed: 'var(--failed)' } as const;

/** Definitions of the heads of edges, which all edges of a picture share. */
export const ArrowHeads = () => (
  <defs>
    {Object.entries(heads).map(([name, colour]) => (
      <marker
        key={name}
        id={`arrow-${name}`}
        viewBox="-10 -10 20 20"
        markerWidth={16}
        markerHeight={16}
        markerUnits="userSpaceOnUse"
        orient="auto-start-reverse"
      >
        <polyline points="-6,-5 1,0 -6,5 -6,-5" fill={colour} stroke={colour} strokeLinejoin="round" />
      </marker>
    ))}
  </defs>
);

function titleOf({ from, to, condition, missed, passed }: EdgeView): string {
  const when = condition === undefined ? '' : ` ${condition}`;
  const last = missed === true ? ', not the last time' : '';
  return `${from} → ${to}${when}: passed ${passed}×${last}`;
}
