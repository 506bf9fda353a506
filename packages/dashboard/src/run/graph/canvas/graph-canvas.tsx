import '@xyflow/react/dist/base.css';
import type { Edge, Node, NodeTypes } from '@xyflow/react';
import { ReactFlow, ReactFlowProvider, useStore } from '@xyflow/react';
import { useEffect, useRef, useState } from 'react';
import { NodeCard } from '../node/node-card.tsx';
import { canvasKeys } from './canvas-keys.ts';
import { CanvasTools } from './canvas-tools.tsx';
import type { Flow } from './flow.ts';
import classes from './graph-canvas.module.css';
import { GraphEdge } from './graph-edge.tsx';
import { detailAt } from './level-of-detail.ts';
import { LoopFrame } from './loop-frame.tsx';
import type { Viewport } from './use-viewport.ts';
import { useViewport } from './use-viewport.ts';

interface GraphCanvasProps {
  readonly flow: Flow;
  /** Places of the nodes that are at work, those that need attention first. */
  readonly active: readonly string[];
  /** Place of the node that has the focus, or would get it. */
  readonly focused: string | undefined;
  readonly isFollowing: boolean;
  readonly follow: (isFollowing: boolean) => void;
  /** What draws the nodes and the loops; always the same object. Default: the cards of one run. */
  readonly nodeTypes?: NodeTypes;
}

const cards: NodeTypes = { card: NodeCard, loop: LoopFrame };
const edgeTypes = { course: GraphEdge };

/** Nodes that the picture begins with when it cannot show all of them. */
const mostFirst = 3;

/** A placed graph as a picture that can be moved and enlarged. */
export const GraphCanvas = (props: GraphCanvasProps) => (
  <ReactFlowProvider>
    <Canvas {...props} />
  </ReactFlowProvider>
);

function Canvas({ flow, active, focused, isFollowing, follow, nodeTypes = cards }: GraphCanvasProps) {
  const element = useRef<HTMLDivElement>(null);
  const [width, height] = [useStore((state) => state.width), useStore((state) => state.height)];
  const detail = useStore(({ transform: [, , zoom] }) => detailAt(zoom));
  const [isMoved, setMoved] = useState(false);
  const activeBoxes = active.flatMap((place) => flow.boxes.get(place) ?? []);
  const viewport = useViewport({ ...flow, isMoved, width, height, active: activeBoxes.slice(0, mostFirst) });
  // Once the picture is moved it stays where it was put.
  const held: Viewport = {
    show: (boxes) => move(() => viewport.show(boxes)),
    zoomBy: (factor) => move(() => viewport.zoomBy(factor)),
    fit: () => move(viewport.fit),
  };
  const move = (how: () => void) => {
    setMoved(true);
    how();
  };
  const showActive = () => held.show(activeBoxes);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it moves when another node is at work, not when one grows
  useEffect(() => {
    if (isFollowing) viewport.show(activeBoxes.slice(0, 1));
  }, [active[0], isFollowing]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys act for the buttons inside it
    <div
      ref={element}
      className={classes['canvas']}
      data-detail={detail}
      onKeyDown={canvasKeys({ element, flow, viewport: held, focused, showActive })}
    >
      <ReactFlow
        nodes={flow.nodes as Node[]} // it does not change them
        edges={flow.edges as Edge[]}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        minZoom={0.08}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        preventScrolling={false}
        panOnScroll={false}
        disableKeyboardA11y
        onMoveStart={(event) => {
          if (event === null) return;
          setMoved(true);
          // Who moves the picture wants to look elsewhere.
          follow(false);
        }}
        proOptions={{ hideAttribution: true }}
      />
      <CanvasTools viewport={held} showActive={showActive} isFollowing={isFollowing} follow={follow} />
    </div>
  );
}
