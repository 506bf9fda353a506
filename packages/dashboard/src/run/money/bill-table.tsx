import type { Activation, ModelUsage } from '@millrace/client';
import { addModelCall, noModelUsage } from '@millrace/core/usage';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { createContext, useContext, useMemo, useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { Problem } from '../../kit/states/problem.tsx';
import { formatCost, formatCount, formatSaved } from '../../kit/values/format.ts';
import type { BillGraph } from './bill.ts';
import { sumOf } from './bill.ts';
import classes from './money.module.css';

interface Column {
  readonly title: string;
  readonly textOf: (usage: ModelUsage) => string;
  /** Shown only if the bill has any of it, and not on phones. */
  readonly countOf?: (usage: ModelUsage) => number | undefined;
}

/** The costs are next to the names, so that they are visible on phones without scrolling. */
const columns: readonly Column[] = [
  { title: 'Cost', textOf: ({ microUsd }) => formatCost(microUsd) },
  { title: 'Calls', textOf: ({ calls }) => formatCount(calls) },
  { title: 'In', textOf: ({ promptTokens }) => formatCount(promptTokens) },
  rare('Cached', ({ cachedTokens }) => cachedTokens),
  rare('Written', ({ cacheWriteTokens }) => cacheWriteTokens),
  {
    title: 'Saved',
    textOf: ({ savedMicroUsd }) => formatSaved(savedMicroUsd),
    countOf: (usage) => usage.savedMicroUsd,
  },
  { title: 'Out', textOf: ({ completionTokens }) => formatCount(completionTokens) },
  rare('Reasoning', ({ reasoningTokens }) => reasoningTokens),
  rare('Searches', ({ toolRequests }) => toolRequests),
  rare('No price', ({ unpriced }) => unpriced),
];

function rare(title: string, countOf: (usage: ModelUsage) => number | undefined): Column {
  return { title, countOf, textOf: (usage) => countOrDash(countOf(usage)) };
}

/** Columns of a bill, which all of its rows have. */
const ShownColumns = createContext<readonly Column[]>(columns);

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
  const shown = useMemo(() => columns.filter(({ countOf = () => 1 }) => (countOf(total) ?? 0) !== 0), [total]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the page is scrolled with the keyboard
    <section className="scrolled panel" aria-label="Bill" tabIndex={0}>
      <table className={`${classes['table']} numbers`}>
        <thead>
          <tr>
            <th scope="col">Graph, node, activation, call</th>
            {shown.map(({ title, countOf }) => (
              <th key={title} scope="col" data-rare={countOf !== undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <ShownColumns value={shown}>
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
        </ShownColumns>
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
          <button
            type="button"
            className={`${classes['fold']} inline strong`}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon aria-hidden size={14} /> {id}
          </button>
        )}
        <Link
          to="/runs/$run/graph"
          params={{ run }}
          search={{ ...(graph === '' ? {} : { g: graph }), n: id }}
          aria-label={`${id} in the graph`}
        >
          in the graph
        </Link>
      </UsageRow>
      {isOpen && <BillOfNode run={run} graph={graph} node={id} depth={depth + 1} />}
    </>
  );
}

interface BillOfNodeProps {
  readonly run: string;
  readonly graph: string;
  readonly node: string;
  readonly depth: number;
}

/** The activations of a node that called models, and their calls, in pages. */
function BillOfNode({ run, graph, node, depth }: BillOfNodeProps) {
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['run', run, 'bill', graph, node],
    queryFn: ({ pageParam }) => millrace.runs.get(run).activations({ graph, node, limit: 50 }).page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: 10_000,
  });
  const activations = (data?.pages ?? [])
    .flatMap((page) => page.data)
    .filter(({ calls }) => usagesOf(calls).length > 0);
  return (
    <>
      {activations.map((activation) => (
        <OfActivation key={activation.id} run={run} activation={activation} depth={depth} />
      ))}
      {(error !== null || hasNextPage || isFetching) && (
        <tr>
          <td colSpan={columns.length + 1}>
            {error === null ? (
              <button type="button" className="button" disabled={isFetching} onClick={() => void fetchNextPage()}>
                {isFetching ? 'Loading …' : 'Load more activations'}
              </button>
            ) : (
              <Problem error={error} retry={() => void refetch()} />
            )}
          </td>
        </tr>
      )}
    </>
  );
}

interface OfActivationProps {
  readonly run: string;
  readonly activation: Activation;
  readonly depth: number;
}

function OfActivation({ run, activation: { id, calls, unit, iteration }, depth }: OfActivationProps) {
  const usages = usagesOf(calls);
  const place = [iteration === undefined ? '' : `iteration ${iteration}`, unit === undefined ? '' : `unit ${unit + 1}`];
  return (
    <>
      <UsageRow usage={sumOf(usages.map(({ usage }) => usage))} depth={depth}>
        <Link to="/runs/$run/activations" params={{ run }} search={{ a: id }}>
          <code>{id}</code>
        </Link>{' '}
        {place.filter((word) => word !== '').join(' · ')}
      </UsageRow>
      {usages.map(({ step, name, usage }) => (
        <UsageRow key={step} usage={usage} depth={depth + 1}>
          {name}
        </UsageRow>
      ))}
    </>
  );
}

interface CallUsage {
  readonly step: number;
  readonly name: string;
  readonly usage: ModelUsage;
}

const usagesOf = (calls: Activation['calls']): readonly CallUsage[] =>
  calls.flatMap(({ step, name, usage }) =>
    usage === undefined ? [] : [{ step, name, usage: addModelCall(noModelUsage, usage) }],
  );

interface UsageRowProps {
  readonly usage: ModelUsage;
  readonly depth: number;
  readonly children: ReactNode;
}

/** One line of a bill. */
const UsageRow = ({ usage, depth, children }: UsageRowProps) => (
  <tr>
    <th scope="row" style={{ paddingLeft: 12 + depth * 20 }}>
      {children}
    </th>
    {useContext(ShownColumns).map(({ title, textOf, countOf }) => (
      <td key={title} data-rare={countOf !== undefined}>
        {textOf(usage)}
      </td>
    ))}
  </tr>
);

function countOrDash(count = 0): string {
  return count === 0 ? '–' : formatCount(count);
}
