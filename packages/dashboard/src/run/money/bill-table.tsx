import type { ModelUsage } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { BillGraph } from './bill.ts';
import { BillOfNode } from './bill-of-node.tsx';
import classes from './money.module.css';
import { UsageRow } from './usage-row.tsx';

/** The costs are next to the names, so that they are visible on phones without scrolling. */
const columns = ['Graph, node, activation, call', 'Cost', 'Calls', 'In', 'Cached', 'Out', 'No price'] as const;

interface BillTableProps {
  readonly run: string;
  readonly bill: readonly BillGraph[];
  readonly total: ModelUsage;
  /** Activations are not shown for the past. */
  readonly isPast: boolean;
}

/** A bill as a tree: graphs, their nodes, and, once they are opened, activations and calls. */
export function BillTable({ run, bill, total, isPast }: BillTableProps) {
  const isNamed = bill.length > 1;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the page is scrolled with the keyboard
    <section className={classes['wide']} aria-label="Bill" tabIndex={0}>
      <table className={classes['table']}>
        <thead>
          <tr>
            {columns.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bill.map((graph) => (
            <Graph key={graph.key} run={run} graph={graph} isNamed={isNamed} isPast={isPast} />
          ))}
        </tbody>
        <tfoot>
          <UsageRow usage={total} depth={0}>
            Run
          </UsageRow>
        </tfoot>
      </table>
    </section>
  );
}

interface GraphProps {
  readonly run: string;
  readonly graph: BillGraph;
  readonly isNamed: boolean;
  readonly isPast: boolean;
}

const Graph = ({ run, graph: { key, usage, nodes }, isNamed, isPast }: GraphProps) => (
  <>
    {isNamed && (
      <UsageRow usage={usage} depth={0}>
        {key === '' ? 'Root graph' : key}
      </UsageRow>
    )}
    {nodes.map((node) => (
      <Node key={node.id} run={run} graph={key} node={node} depth={isNamed ? 1 : 0} isPast={isPast} />
    ))}
  </>
);

interface NodeProps {
  readonly run: string;
  readonly graph: string;
  readonly node: BillGraph['nodes'][number];
  readonly depth: number;
  readonly isPast: boolean;
}

function Node({ run, graph, node: { id, usage }, depth, isPast }: NodeProps) {
  const [isOpen, setOpen] = useState(false);
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <>
      <UsageRow usage={usage} depth={depth}>
        {isPast ? (
          id
        ) : (
          <button type="button" className={classes['fold']} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Icon aria-hidden size={14} /> {id}
          </button>
        )}
        <Link
          to="/runs/$run/graph"
          params={{ run }}
          search={{ ...(graph === '' ? {} : { g: graph }), n: id }}
          aria-label={`${id} in the graph`}
        >
          graph
        </Link>
      </UsageRow>
      {isOpen && <BillOfNode run={run} graph={graph} node={id} depth={depth + 1} />}
    </>
  );
}
