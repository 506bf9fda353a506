import { detailAt } from './level-of-detail.ts';
import '@xyflow/react/dist/base.css';
import { ReactFlow, ReactFlowProvider, useStore, ViewportPortal } from '@xyflow/react';
import { CircleHelp, Crosshair, Expand, Minus, Plus } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import type { Flow } from '../flow/flow.ts';
import type { CardData } from '../flow/parts.ts';
import { canvasKeys } from './canvas-keys.ts';
import classes from './graph-canvas.module.css';
import { GraphLegend } from './graph-legend.tsx';
import type { CardComponent } from './layers.tsx';
import { Layers } from './layers.tsx';
import type { Viewport } from './use-viewport.ts';
import { useViewport } from './use-viewport.ts';

interface GraphCanvasProps<Data extends CardData> {
  readonly flow: Flow<Data>;
  /** Draws the nodes. */
  readonly card: CardComponent<Data>;
  /** Places of the executing nodes, those that need attention first. */
  readonly active: readonly string[];
  /** Place of the node that has the focus, or would get it. */
  readonly focused: string | undefined;
  readonly isFollowing: boolean;
  /** Absent: no node becomes active, so there is nothing to follow. */
  readonly follow?: ((isFollowing: boolean) => void) | undefined;
  /** The active nodes in words; default: those that execute. */
  readonly subject?: string;
}

/** Nodes that the picture begins with when it cannot show all of them. */
const mostFirst = 3;

/**
 * A placed graph as a picture that can be moved and enlarged. The library moves and enlarges it; its nodes and edges are
 * our own elements, as those of the library can do more than a picture needs and cost several times as much.
 */
export const GraphCanvas = <Data extends CardData>(props: GraphCanvasProps<Data>) => (
  <ReactFlowProvider>
    <Canvas {...props} />
  </ReactFlowProvider>
);

function Canvas<Data extends CardData>(props: GraphCanvasProps<Data>) {
  const { flow, card, active, focused, isFollowing, follow, subject = 'active nodes' } = props;
  const element = useRef<HTMLDivElement>(null);
  const [width, height] = [useStore((state) => state.width), useStore((state) => state.height)];
  const detail = useStore(({ transform: [, , zoom] }) => detailAt(zoom));
  const [isMoved, setMoved] = useState(false);
  const activeBoxes = active.flatMap((place) => flow.boxes.get(place) ?? []);
  const viewport = useViewport({ ...flow, isMoved, width, height, active: activeBoxes.slice(0, mostFirst) });
  // A picture that the user has moved keeps its position.
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
      className={`${classes['canvas']} panel`}
      data-detail={detail}
      onKeyDown={canvasKeys({ element, flow, viewport: held, focused, showActive })}
    >
      <ReactFlow
        minZoom={0.08}
        maxZoom={2}
        elementsSelectable={false}
        zoomOnScroll={false}
        preventScrolling={false}
        panOnScroll={false}
        disableKeyboardA11y
        onMove={(event) => {
          // A click does not move it, though it begins as a movement does.
          if (event === null) return;
          setMoved(true);
          // A user who moves the picture wants to see another part.
          follow?.(false);
        }}
        proOptions={{ hideAttribution: true }}
      >
        <ViewportPortal>
          <Layers nodes={flow.nodes} edges={flow.edges} card={card} />
        </ViewportPortal>
      </ReactFlow>
      <CanvasTools
        viewport={held}
        showActive={showActive}
        isFollowing={isFollowing}
        follow={follow}
        subject={subject}
      />
    </div>
  );
}

interface CanvasToolsProps {
  readonly viewport: Viewport;
  readonly showActive: () => void;
  readonly isFollowing: boolean;
  readonly follow: ((isFollowing: boolean) => void) | undefined;
  /** Nodes that are followed, in words. */
  readonly subject: string;
}

/** Buttons that move and enlarge the picture. */
function CanvasTools({ viewport, showActive, isFollowing, follow, subject }: CanvasToolsProps) {
  const [isLegendOpen, openLegend] = useState(false);
  const legend = useId();
  return (
    <>
      {isLegendOpen && <GraphLegend id={legend} />}
      <div className={`${classes['tools']} panel muted`} role="toolbar" aria-label="Picture">
        <Tool label="Zoom in" keys="+" icon={Plus} act={() => viewport.zoomBy(1.25)} />
        <Tool label="Zoom out" keys="-" icon={Minus} act={() => viewport.zoomBy(0.8)} />
        <Tool label="Fit the whole graph" keys="0" icon={Expand} act={viewport.fit} />
        {follow !== undefined && (
          <>
            <Tool label={`Show ${subject}`} keys="." icon={Crosshair} act={showActive} />
            <button
              type="button"
              className={classes['follow']}
              aria-pressed={isFollowing}
              title={`Keep ${subject} in view`}
              onClick={() => follow(!isFollowing)}
            >
              Follow
            </button>
          </>
        )}
        <button
          type="button"
          aria-expanded={isLegendOpen}
          aria-controls={isLegendOpen ? legend : undefined}
          aria-label="Legend"
          title="What lines and labels mean"
          onClick={() => openLegend(!isLegendOpen)}
        >
          <CircleHelp aria-hidden size={14} />
        </button>
      </div>
    </>
  );
}

interface ToolProps {
  readonly label: string;
  readonly keys: string;
  readonly icon: typeof Plus;
  readonly act: () => void;
}

const Tool = ({ label, keys, icon: Icon, act }: ToolProps) => (
  <button type="button" aria-label={label} title={`${label} (${keys})`} onClick={act}>
    <Icon aria-hidden size={14} />
  </button>
);
