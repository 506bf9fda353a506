import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { fold } from '../fold/fold.ts';
import { placeOf } from '../fold/picture.ts';
import { eventsUpTo } from '../scrubber/place.ts';
import { Scrubber } from '../scrubber/scrubber.tsx';
import { useGraphs } from '../use-graphs.ts';
import { useJournal } from '../use-journal.ts';
import { atEvent } from './at-event.ts';
import { GraphCanvas } from './graph-canvas.tsx';
import classes from './graph-tab.module.css';
import { NodePanel } from './node-panel.tsx';

/** The graphs of a run as the author drew them, with the state of each node: live, or as it stood after an event. */
export function GraphTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const { g: key = '', at, n: chosen } = useSearch({ from: '/runs/$run/graph' });
  const navigate = useNavigate({ from: '/runs/$run/graph' });
  const { data, error, refetch } = useGraphs(run);
  const { data: journal } = useJournal(run);
  const picture = useMemo(
    () => (journal === undefined ? undefined : fold(journal.events.slice(0, eventsUpTo(journal.events, at)))),
    [journal, at],
  );
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={8} />;
  const served = data.graphs.find((one) => one.key === key) ?? data.graphs[0];
  if (served === undefined) return null;
  const graph = picture === undefined ? served : atEvent(served, picture, at !== undefined);
  const enter = (inner: string) =>
    void navigate({
      search: ({ g: _left, n: _chosen, ...others }) => (inner === '' ? others : { ...others, g: inner }),
    });
  const choose = (node: string | undefined) =>
    void navigate({
      search: ({ n: _before, ...others }) => (node === undefined ? others : { ...others, n: node }),
      replace: true,
    });
  const index = graph.nodes.findIndex(({ id }) => id === chosen);
  return (
    <>
      {graph.key !== '' && <Path of={graph.key} enter={enter} />}
      <div className={classes['sides']}>
        <GraphCanvas key={graph.key} graph={graph} enter={enter} chosen={chosen} choose={choose} />
        {index >= 0 && (
          <NodePanel
            key={chosen}
            run={run}
            node={chosen ?? ''}
            type={graph.nodes[index]?.type ?? ''}
            activations={picture?.history.get(placeOf(graph.key, index)) ?? []}
            close={() => choose(undefined)}
          />
        )}
      </div>
      {journal !== undefined && (
        <Scrubber
          events={journal.events}
          at={at}
          move={(to) =>
            void navigate({
              search: ({ at: _past, ...others }) => (to === undefined ? others : { ...others, at: to }),
              replace: true,
            })
          }
        />
      )}
      {journal?.isWhole === false && (
        <p className={classes['note']}>The slider covers the first {journal.events.length} events of this run.</p>
      )}
    </>
  );
}

/** The way from the root graph to the one that is shown. */
function Path({ of, enter }: { readonly of: string; readonly enter: (key: string) => void }) {
  const parts = of.split('/');
  return (
    <nav aria-label="Graphs" className={classes['path']}>
      <button type="button" onClick={() => enter('')}>
        root graph
      </button>
      {parts.map((part, at) => {
        const key = parts.slice(0, at + 1).join('/');
        return (
          <span key={key}>
            {' / '}
            <button type="button" onClick={() => enter(key)}>
              {part}
            </button>
          </span>
        );
      })}
    </nav>
  );
}
