import '@xyflow/react/dist/base.css';
import type { Edge, Node } from '@xyflow/react';
import { Controls, MarkerType, ReactFlow } from '@xyflow/react';
import { useMemo } from 'react';
import type { PicturedGraph } from './at-event.ts';
import { GraphEdge } from './graph-edge.tsx';
import { describeNode, GraphNode } from './graph-node.tsx';
import classes from './graph-tab.module.css';
import type { RunGraph } from './layout.ts';
import { layout, nodeSize } from './layout.ts';

interface GraphCanvasProps {
  readonly graph: PicturedGraph | RunGraph;
  /** Shows the graph inside a node, by its key. */
  readonly enter: (key: string) => void;
  /** Id of the node whose panel is open. */
  readonly chosen: string | undefined;
  readonly choose: (node: string) => void;
}

const nodeTypes = { node: GraphNode };
const edgeTypes = { course: GraphEdge };

/** One graph as a picture that can be moved and enlarged. */
export function GraphCanvas({ graph, enter, chosen, choose }: GraphCanvasProps) {
  // Places depend on the shape of the graph alone, not on how its nodes stand.
  const shape = JSON.stringify([graph.nodes.map(({ id }) => id), graph.edges.map(({ from, to }) => [from, to])]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape stands for the graph
  const places = useMemo(() => layout(graph), [shape]);
  const edges = graph.edges.map((edge, at) => ({ ...edgeOf(edge, at), data: { points: places.edges[at] ?? [] } }));
  const nodes = graph.nodes.map(
    (node): Node => ({
      id: node.id,
      type: 'node',
      position: places.nodes.get(node.id) ?? { x: 0, y: 0 },
      ...nodeSize,
      ariaLabel: describeNode(node),
      selected: node.id === chosen,
      data: { node, enter },
    }),
  );
  return (
    <div className={classes['canvas']}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.15 }}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        onNodeClick={(_event, { id }) => choose(id)}
        onNodesChange={(changes) => {
          // The keyboard selects the node that has the focus.
          for (const change of changes) if (change.type === 'select' && change.selected) choose(change.id);
        }}
        zoomOnScroll={false}
        preventScrolling={false}
        panOnScroll={false}
        proOptions={{ hideAttribution: true }}
      >
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

function edgeOf(edge: PicturedGraph['edges'][number], at: number): Edge {
  const { from, to, trigger, conditional, onError, passed = 0 } = edge;
  const words = [onError ? 'on error' : conditional ? 'if' : '', passed > 0 ? `${passed}×` : ''];
  const label = words.filter((word) => word !== '').join(' · ');
  return {
    id: String(at),
    source: from,
    target: to,
    type: 'course',
    markerEnd: { type: MarkerType.ArrowClosed, width: 16, height: 16 },
    className: `${classes[onError ? 'onError' : trigger ? 'triggers' : 'carries'] ?? ''} ${passed > 0 ? classes['passed'] : ''}`,
    ...(label === '' ? {} : { label }),
  };
}
