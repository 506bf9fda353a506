import type { NodeProps } from '@xyflow/react';
import { Handle, Position } from '@xyflow/react';
import { Bot, Box, Code, Hand, Layers, ListOrdered, Timer, Workflow } from 'lucide-react';
import { memo } from 'react';
import { formatMoney } from '../../kit/values/format.ts';
import { StatusIcon, toneOf } from '../../kit/values/status.tsx';
import type { PicturedNode } from './at-event.ts';
import classes from './graph-node.module.css';

const icons = {
  agent: Bot,
  human: Hand,
  python: Code,
  subgraph: Workflow,
  loop_counter: ListOrdered,
  loop_timer: Timer,
  boss: Layers,
} as const;

/** Returns a node in words, for those who do not see it. */
export function describeNode({ id, type, status, runs, live }: PicturedNode): string {
  return [id, type, status, runsOf(runs), liveOf(live)].filter((word) => word !== '').join(', ');
}

const runsOf = (runs: number): string => (runs === 0 ? '' : runs === 1 ? '1 run' : `${runs} runs`);
const unitsOf = ({ units }: PicturedNode): string | undefined => units && `${units.completed} of ${units.total}`;
const costOf = ({ microUsd }: PicturedNode): string => (microUsd === undefined ? '' : formatMoney(microUsd));
const liveOf = (live: number): string => (live > 1 ? `${live} at work` : '');

interface GraphNodeData {
  readonly node: PicturedNode;
  readonly enter: (key: string) => void;
}

/** One node of a graph: its type, its name, its state in words, and how often it has run. */
export const GraphNode = memo(function GraphNode({ data }: NodeProps) {
  const { node, enter } = data as unknown as GraphNodeData; // as the canvas makes it
  const Icon = icons[node.type as keyof typeof icons] ?? Box;
  const { graph } = node;
  return (
    <div className={`${classes['node']} ${classes[toneOf(node.status)]}`} data-node={node.id} data-state={node.status}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <Icon aria-hidden size={18} className={classes['type']} />
      <div className={classes['words']}>
        <strong title={node.id}>{node.id}</strong>
        <span>
          <StatusIcon of={node.status} size={12} />{' '}
          {[node.status, unitsOf(node) ?? runsOf(node.runs), liveOf(node.live), costOf(node)]
            .filter((word) => word !== '')
            .join(' · ')}
        </span>
      </div>
      {graph !== undefined && (
        <button
          type="button"
          className="nodrag nopan"
          onClick={() => enter(graph)}
          aria-label={`Open the graph inside ${node.id}`}
        >
          <Workflow aria-hidden size={14} />
        </button>
      )}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
});
