import type { Run } from '@millrace/client';
import { useParams } from '@tanstack/react-router';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { hasEnded } from '../has-ended.ts';
import { OpenQuestions } from '../open-questions.tsx';
import { LongScrubber } from '../scrubber/long-scrubber.tsx';
import { Scrubber } from '../scrubber/scrubber.tsx';
import { LoadingScrubber } from '../scrubber/scrubber-bar.tsx';
import { useGraphs } from '../use-graphs.ts';
import { useJournal } from '../use-journal.ts';
import { useProjection } from '../use-projection.ts';
import { useRun } from '../use-run.ts';
import { GraphPath } from './graph-path.tsx';
import classes from './graph-tab.module.css';
import { prepareLayout } from './layout/layout-client.ts';
import { NodePanel } from './panel/node-panel.tsx';
import { PicturedGraph } from './pictured-graph.tsx';
import type { RunGraph } from './run-graph.ts';
import { TreeGrid } from './table/tree-grid.tsx';
import { usePlace } from './use-place.ts';
import { useGraphViews } from './view/use-graph-views.ts';

prepareLayout();

const none: readonly RunGraph[] = [];

/** Number of nodes above which a graph is shown as a table by default. */
const mostPictured = 1_000;

/** The graphs of a run as the author drew them, with the state of each node: live, or after an event. */
export function GraphTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const [place] = usePlace();
  const { data: facts, refetch: reload } = useRun(run);
  const projection = useProjection(run, place.at);
  const { data, error, refetch } = useGraphs(run, { isUnfolded: projection === undefined, at: place.at });
  const graphs = data?.graphs ?? none;
  const views = useGraphViews(graphs, projection, data?.status);
  if (error !== null && data === undefined) return <Problem error={error} retry={() => void refetch()} />;
  const shown = views.get(place.g ?? '') ?? views.get('');
  if (shown === undefined) return <Skeleton rows={8} />;
  const isTable = place.view === undefined ? isLarge(shown.graph) : place.view === 'table';
  const chosen = views.get(place.in ?? shown.graph.key)?.nodes.find(({ id }) => id === place.n);
  const asks = chosen === undefined && place.at === undefined && facts !== undefined && facts.tasks.length > 0;
  const asOf = place.at === undefined ? endOf(facts) : (projection ?? data)?.at;
  return (
    <div className={classes['tab']} data-fills="window">
      <GraphPath graphs={graphs} of={shown.graph.key} isTable={isTable} />
      <div className={classes['sides']} data-panel={chosen !== undefined || asks}>
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
          <aside className={classes['questions']} aria-label="Questions">
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
