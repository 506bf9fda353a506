import type { Run } from '@millrace/client';
import type { FailureProjection, RunProjection } from '@millrace/core/projection';
import { useParams } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { hasEnded } from '../../activations/has-ended.ts';
import { Segmented } from '../../kit/controls/choices.tsx';
import { useShortcut } from '../../kit/shortcuts/shortcuts.ts';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { OpenQuestions } from '../../questions/open-questions.tsx';
import { useRun } from '../follow/run-queries.ts';
import { useGraphSearch } from '../follow/use-graph-search.ts';
import { useGraphs } from '../follow/use-graphs.ts';
import { useJournal } from '../follow/use-journal.ts';
import { useProjection } from '../follow/use-projection.ts';
import { LongScrubber, Scrubber } from '../scrubber/long-scrubber.tsx';
import { LoadingScrubber } from '../scrubber/scrubber-bar.tsx';
import { GraphCanvas } from './canvas/graph-canvas.tsx';
import type { FlowContext } from './flow/flow.ts';
import { flowOf } from './flow/flow.ts';
import { createFlowCache } from './flow/flow-cache.ts';
import type { NodeCardData } from './flow/parts.ts';
import { placeInside, useActions } from './flow/use-actions.ts';
import classes from './graph-tab.module.css';
import { prepareLayout } from './layout/layout-client.ts';
import { useLayout } from './layout/use-layout.ts';
import { NodeCard } from './node/node-card.tsx';
import { showsTime } from './node/node-line.tsx';
import { NodePanel } from './panel/node-panel.tsx';
import { TreeGrid } from './table/tree-grid.tsx';
import type { GraphView } from './view/graph-view.ts';
import type { NodeView } from './view/node-view.ts';
import type { RunGraph } from './view/run-graph.ts';
import { useGraphViews } from './view/use-graph-views.ts';
import { useIterationView } from './view/use-iteration-view.ts';

prepareLayout();

const none: readonly RunGraph[] = [];

/** Number of nodes above which a graph is shown as a table by default. */
const mostPictured = 1_000;

/** The graphs of a run as the author drew them, with the state of each node: live, or after an event. */
export function GraphTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const [search] = useGraphSearch();
  const { data: facts, refetch: reload } = useRun(run);
  const projection = useProjection(run, search.at);
  const { data, error, refetch } = useGraphs(run, { isUnfolded: projection === undefined, at: search.at });
  const graphs = data?.graphs ?? none;
  const views = useGraphViews(graphs, projection, data?.status);
  if (error !== null && data === undefined) return <Problem error={error} retry={() => void refetch()} />;
  const shown = views.get(search.g ?? '') ?? views.get('');
  if (shown === undefined) return <Skeleton rows={8} />;
  const isTable = search.view === undefined ? isLarge(shown.graph) : search.view === 'table';
  const chosen = views.get(search.in ?? shown.graph.key)?.nodes.find(({ id }) => id === search.n);
  const asks = chosen === undefined && search.at === undefined && facts !== undefined && facts.tasks.length > 0;
  const asOf = search.at === undefined ? endOf(facts) : (projection ?? data)?.at;
  return (
    <div className={`${classes['tab']} stack`} data-fills="window">
      <GraphPath graphs={graphs} of={shown.graph.key} isTable={isTable} />
      <div className={`${classes['sides']} stack`} data-panel={chosen !== undefined || asks}>
        <div className={classes['picture']}>
          {isTable ? (
            <TreeGrid views={views} of={shown.graph.key} />
          ) : (
            <PicturedGraph
              key={shown.graph.key}
              run={run}
              views={views}
              of={shown.graph.key}
              projection={projection}
              asOf={asOf}
            />
          )}
        </div>
        {chosen !== undefined && <NodePanel key={chosen.place} run={run} node={chosen} asOf={asOf} />}
        {asks && (
          <aside className={`${classes['questions']} panel`} aria-label="Questions">
            <OpenQuestions run={facts} answered={() => void reload()} />
          </aside>
        )}
      </div>
      <RunScrubber run={run} />
    </div>
  );
}

/** Returns the time at which a run has ended; undefined while it continues. */
const endOf = (run: Run | undefined): number | undefined =>
  run !== undefined && hasEnded(run) ? run.finishedAt : undefined;

/** The slider over the events of the run, or over its commits where there are too many events. */
function RunScrubber({ run }: { readonly run: string }) {
  const { data: journal } = useJournal(run);
  if (journal === undefined) return <LoadingScrubber />;
  if (journal.isWhole) return <Scrubber run={run} journal={journal} />;
  return <LongScrubber run={run} journal={journal} />;
}

const isLarge = ({ nodes }: RunGraph): boolean => nodes.length > mostPictured;

interface GraphPathProps {
  readonly graphs: readonly RunGraph[];
  /** Key of the graph that is shown. */
  readonly of: string;
  readonly isTable: boolean;
}

/** The way from the root graph to the one that is shown, and the choice between picture and table. */
function GraphPath({ graphs, of, isTable }: GraphPathProps) {
  const [, move] = useGraphSearch();
  const enter = (key: string) => move(placeInside(key), { isStep: true });
  const show = (view: 'table' | 'picture') => move({ view });
  useShortcut('table', () => show(isTable ? 'picture' : 'table'));
  const parts = of === '' ? [] : of.split('/');
  return (
    <div className={`${classes['bar']} row wrap`}>
      {parts.length > 0 && (
        <nav aria-label="Graphs" className="grow muted">
          <button type="button" className="link-button" onClick={() => enter('')}>
            {graphs.find(({ key }) => key === '')?.id ?? 'root graph'}
          </button>
          {parts.map((part, at) => {
            const key = parts.slice(0, at + 1).join('/');
            const isLast = at === parts.length - 1;
            return (
              <span key={key}>
                <span aria-hidden> ▸ </span>
                {isLast ? (
                  <strong aria-current="page">{part}</strong>
                ) : (
                  <button type="button" className="link-button" onClick={() => enter(key)}>
                    {part}
                  </button>
                )}
              </span>
            );
          })}
        </nav>
      )}
      <Segmented
        label="Form of the graph"
        options={{ picture: 'Picture', table: 'Table' }}
        value={isTable ? 'table' : 'picture'}
        choose={show}
      />
    </div>
  );
}

/** Nodes of a graph that can be opened inside its node. */
const mostInside = 40;

interface PicturedGraphProps {
  readonly run: string;
  readonly views: ReadonlyMap<string, GraphView>;
  /** Key of the graph. */
  readonly of: string;
  readonly projection: RunProjection | undefined;
  /** Time of a picture that does not change; undefined: it is live. */
  readonly asOf: number | undefined;
}

const attention: readonly NodeView['status'][] = ['failed', 'waiting', 'working', 'ready'];

/** One graph as a picture, with the graphs that are open inside its nodes. */
function PicturedGraph({ run, views, of, projection, asOf }: PicturedGraphProps) {
  const [search] = useGraphSearch();
  const { data: facts } = useRun(run);
  const [focused, setFocused] = useState<string>();
  const [isFollowing, follow] = useState(true);
  const cache = useRef(createFlowCache()).current;
  const open = useMemo(() => new Set(search.open), [search.open]);
  const { placed, error } = useLayout({ plan: facts?.plan, views, of, open });
  const iteration = useIterationView(run, { view: views.get(of), projection });
  const actions = useActions(of, setFocused);
  const shown = [...views.values()].filter(({ graph }) => graph.key === of || open.has(graph.key));
  const nodes = shown.flatMap((view) => view.nodes);
  const active = attention.flatMap((state) => nodes.filter(({ status }) => status === state).map((one) => one.place));
  const entry = focused ?? active[0] ?? nodes[0]?.place;
  const context: FlowContext<NodeCardData> = {
    views,
    cache,
    card: (node) => ({
      run,
      actions,
      isEntry: node.place === entry,
      isChosen: node.id === search.n && node.key === (search.in ?? of),
      isDimmed: iteration !== undefined && node.key === of && !iteration.nodes.has(node.place),
      // Other cards are not drawn again for another time.
      asOf: showsTime(node) ? asOf : undefined,
      failure: failureOf(node, search.at === undefined ? facts?.error : undefined),
      ...insideOf(node, views, open),
    }),
    edge: (edge) => ({
      isDimmed: iteration !== undefined && !iteration.edges.has(edge.place.slice('edge\n'.length)),
    }),
    loop: ({ name }) => ({ actions, picked: search.loop === name ? search.iteration : undefined }),
  };
  if (error !== undefined) return <Problem error={error} />;
  if (placed === undefined) return <Skeleton rows={8} />;
  return (
    <GraphCanvas
      flow={flowOf(placed, context)}
      card={NodeCard}
      active={active}
      focused={entry}
      isFollowing={isFollowing && search.at === undefined}
      follow={follow}
    />
  );
}

/**
 * Returns the error that a card shows: that of its event, or of the run where the journal is too long to be loaded. Numbers of
 * units and states of an inner graph say more than the error of one of them.
 */
function failureOf(
  { status, units, graph, key, id, failure }: NodeView,
  error: Run['error'] = null,
): FailureProjection | undefined {
  if (status !== 'failed' || units !== undefined || graph !== undefined) return undefined;
  return failure ?? (key === '' && error?.node === id ? error : undefined);
}

/** Returns the picture that a card shows of the graph inside its node. */
function insideOf(
  { graph }: NodeView,
  views: ReadonlyMap<string, GraphView>,
  open: ReadonlySet<string>,
): Pick<NodeCardData, 'isOpen' | 'canOpen' | 'inner'> {
  const inside = graph === undefined ? undefined : views.get(graph)?.nodes;
  if (graph === undefined || inside === undefined) return { isOpen: false, canOpen: false, inner: undefined };
  return {
    isOpen: open.has(graph),
    canOpen: inside.length <= mostInside,
    inner: inside.map(({ status }) => status).join(' '),
  };
}
