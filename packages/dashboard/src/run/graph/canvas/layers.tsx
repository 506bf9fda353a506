import type { ComponentType } from 'react';
import { useCallback, useMemo } from 'react';
import type { Flow } from '../flow/flow.ts';
import type { CardData, CardPart, EdgePart, FramePart } from '../flow/parts.ts';
import classes from './graph-edge.module.css';
import { ArrowHeads, GraphEdge } from './graph-edge.tsx';
import { LoopFrame } from './loop-frame.tsx';
import { PartsInSlices } from './parts-in-slices.tsx';

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
