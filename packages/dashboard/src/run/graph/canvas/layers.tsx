import { ChevronLeft, ChevronRight, X } from 'lucide-react';
import type { ComponentType, ReactNode } from 'react';
import { memo, useCallback, useEffect, useMemo, useState } from 'react';
import { formatCount } from '../../../kit/values/format.ts';
import { labelOf } from '../flow/edge-label.ts';
import type { Flow } from '../flow/flow.ts';
import type { CardData, CardPart, EdgePart, FramePart } from '../flow/parts.ts';
import { styleOf } from '../layout/style-of.ts';
import type { EdgeView } from '../view/edge-view.ts';
import classes from './graph-edge.module.css';

/** Draws one node in its place; memoised, as parts that have not changed keep their identity. */
export type CardComponent<Data extends CardData> = ComponentType<{ readonly part: CardPart<Data> }>;

interface LayersProps<Data extends CardData> extends Pick<Flow<Data>, 'nodes' | 'edges'> {
  readonly card: CardComponent<Data>;
}

/** The parts of a picture in their layers: frames and open nodes, edges, nodes. */
export function Layers<Data extends CardData>({ nodes, edges, card: Card }: LayersProps<Data>) {
  const [behind, before] = useMemo(() => layersOf(nodes), [nodes]);
  const drawNode = useCallback(
    (part: CardPart<Data> | FramePart) =>
      part.type === 'card' ? <Card key={part.id} part={part} /> : <LoopFrame key={part.id} part={part} />,
    [Card],
  );
  return (
    <>
      <PartsInSlices parts={behind} draw={drawNode} />
      <svg className={classes['edges']} aria-hidden>
        <ArrowHeads />
        <PartsInSlices parts={edges} draw={drawEdge} />
      </svg>
      <PartsInSlices parts={before} draw={drawNode} />
    </>
  );
}

const drawEdge = (part: EdgePart) => <GraphEdge key={part.id} part={part} />;

function layersOf<Part extends { readonly layer: number | undefined }>(
  nodes: readonly Part[],
): readonly [behind: readonly Part[], before: readonly Part[]] {
  const behind = nodes.filter(({ layer }) => layer !== undefined);
  behind.sort((one, other) => (one.layer ?? 0) - (other.layer ?? 0));
  return [behind, nodes.filter(({ layer }) => layer === undefined)];
}

/** One edge along its path, with its condition in words and how often it has passed something on. */
const GraphEdge = memo(function GraphEdge({ part }: { readonly part: EdgePart }) {
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
const ArrowHeads = () => (
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

/** The frame around a loop, with its iteration, its limit, and buttons that select an iteration. */
const LoopFrame = memo(function LoopFrame({ part }: { readonly part: FramePart }) {
  const { loop, actions, picked, box } = part;
  const { iteration, limit, isLive, name } = loop;
  const pick = (to: number | undefined) => actions.pick(name, to);
  return (
    <div className={classes['frame']} style={styleOf(box)} data-live={isLive} data-loop={name}>
      <fieldset className={`${classes['head']} inline muted small strong nowrap`}>
        <legend className="visually-hidden">Iterations of the loop at {name}</legend>
        <span>
          loop
          {iteration > 0 && ` · iteration ${formatCount(iteration)}`}
          {iteration > 0 && limit !== undefined && limit !== null && ` of ${formatCount(limit)}`}
        </span>
        {iteration > 0 && (
          <>
            <button
              type="button"
              className="icon-button muted"
              aria-label="Iteration before"
              title="Look at the iteration before"
              disabled={(picked ?? iteration + 1) <= 1}
              onClick={() => pick((picked ?? iteration + 1) - 1)}
            >
              <ChevronLeft aria-hidden size={13} />
            </button>
            {picked !== undefined && (
              <>
                <output className={`${classes['picked']} pill`}>iteration {formatCount(picked)}</output>
                <button
                  type="button"
                  className="icon-button muted"
                  aria-label="Iteration after"
                  title="Look at the iteration after"
                  disabled={picked >= iteration}
                  onClick={() => pick(picked + 1)}
                >
                  <ChevronRight aria-hidden size={13} />
                </button>
                <button
                  type="button"
                  className="icon-button muted"
                  aria-label="All iterations"
                  title="Look at all iterations"
                  onClick={() => pick(undefined)}
                >
                  <X aria-hidden size={13} />
                </button>
              </>
            )}
          </>
        )}
      </fieldset>
    </div>
  );
});

interface PartsProps<Part> {
  /** Parts that have not changed keep their identity. */
  readonly parts: readonly Part[];
  /** Draws one part, with a key; always the same function. */
  readonly draw: (part: Part) => ReactNode;
}

/** Parts that are compared together: an update of some of 500 looks at 16 slices instead of 500 components. */
const perSlice = 32;
/** Slices that are drawn first, and in each frame from then on: all of 500 nodes at once would hold up the page. */
const perFrame = 4;

/** Many parts of a picture, of which an update changes few; those of a large picture are drawn over several frames. */
function PartsInSlices<Part>({ parts, draw }: PartsProps<Part>) {
  const count = Math.ceil(parts.length / perSlice);
  const [drawn, setDrawn] = useState(perFrame);
  useEffect(() => {
    if (drawn >= count) return;
    const frame = requestAnimationFrame(() => setDrawn(drawn + perFrame));
    return () => cancelAnimationFrame(frame);
  }, [drawn, count]);
  const slices = Array.from({ length: Math.min(count, drawn) }, (_, at) => at * perSlice);
  return slices.map((start) => (
    <Slice key={start} parts={parts.slice(start, start + perSlice)} draw={draw as (part: unknown) => ReactNode} />
  ));
}

const Slice = memo(
  ({ parts, draw }: PartsProps<unknown>) => parts.map(draw),
  (before, now) =>
    before.draw === now.draw &&
    before.parts.length === now.parts.length &&
    before.parts.every((part, at) => part === now.parts[at]),
);
