import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { GraphCanvas } from '../../run/graph/canvas/graph-canvas.tsx';
import type { FlowContext } from '../../run/graph/flow/flow.ts';
import { flowOf } from '../../run/graph/flow/flow.ts';
import { createFlowCache } from '../../run/graph/flow/flow-cache.ts';
import type { GraphActions } from '../../run/graph/flow/graph-actions.ts';
import type { NodeCardData } from '../../run/graph/flow/parts.ts';
import { shapeOf } from '../../run/graph/layout/shape.ts';
import { useLayout } from '../../run/graph/layout/use-layout.ts';
import { NodeCard } from '../../run/graph/node/node-card.tsx';
import { useGraphViews } from '../../run/graph/view/use-graph-views.ts';
import type { Check, TextGraphs } from '../draft/use-check.ts';
import { graphIdIn } from '../text/graph-id.ts';
import classes from '../text/workflow-editor.module.css';

interface TextPictureProps {
  readonly check: Check;
  /** Path of the node at the cursor. */
  readonly node: string | undefined;
  /** There is no cursor beside the picture. */
  readonly isAlone?: boolean;
  readonly choose: (path: string) => void;
}

/** The newest graphs that were drawn, and the id of the workflow that they belong to. */
interface LastGraphs {
  readonly id: string;
  readonly graphs: TextGraphs;
}

/** The picture of the text; while the text has errors, that of the last text without. */
export function TextPicture({ check: { graphs, checked }, node, isAlone = false, choose }: TextPictureProps) {
  const id = graphIdIn(checked?.text ?? '');
  const [last, keep] = useState<LastGraphs>();
  useEffect(() => {
    if (graphs !== undefined) keep({ id, graphs });
  }, [graphs, id]);
  // A text that was pasted over another one has nothing in common with its graph.
  const drawn = graphs ?? (last?.id === id ? last.graphs : undefined);
  return (
    <section className={classes['picture']} aria-label="Graph of the text">
      {drawn === undefined ? (
        <p className="muted small">The graph is drawn once the text has no errors.</p>
      ) : (
        <TextGraph
          graphs={drawn.graphs}
          isOutdated={graphs === undefined}
          node={node}
          isAlone={isAlone}
          choose={choose}
        />
      )}
    </section>
  );
}

/** Nodes of a graph that can be opened inside its node. */
const mostInside = 40;
const nothing = () => undefined;

interface TextGraphProps {
  readonly graphs: TextGraphs['graphs'];
  /** The text has errors by now: the graphs are those of an earlier one. */
  readonly isOutdated: boolean;
  /** Path of the node at the cursor. */
  readonly node: string | undefined;
  readonly isAlone: boolean;
  /** Called with the path of a node that was chosen. */
  readonly choose: (path: string) => void;
}

/** The graphs of a text, drawn as those of a run. A node leads to its line, and the node at the cursor is marked. */
function TextGraph({ graphs, isOutdated, node: path, isAlone, choose }: TextGraphProps) {
  const [entered, enter] = useState('');
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<string>();
  const [isFollowing, follow] = useState(true);
  const cache = useRef(createFlowCache()).current;
  const views = useGraphViews(graphs, undefined);
  const of = views.has(entered) ? entered : '';
  const plan = useMemo(() => JSON.stringify(graphs.map(shapeOf)), [graphs]);
  const { placed, error } = useLayout({ plan, views, of, open, isKept: false });
  const actions = useActions({ choose, enter, setOpen, setFocused });
  const nodes = [...views.values()].flatMap((view) => view.nodes);
  const chosen = nodes.find(({ key, id }) => pathOf(key, id) === path);
  const entry = focused ?? chosen?.place ?? nodes.find(({ key }) => key === of)?.place;
  const context: FlowContext<NodeCardData> = {
    views,
    cache,
    card: (node) => {
      const inside = node.graph === undefined ? undefined : views.get(node.graph)?.nodes;
      return {
        run: '',
        actions,
        caption: node.type,
        isEntry: node.place === entry,
        isChosen: node === chosen,
        isDimmed: false,
        isOpen: node.graph !== undefined && open.has(node.graph),
        canOpen: inside !== undefined && inside.length <= mostInside,
        inner: undefined,
      };
    },
    edge: () => ({ isDimmed: false }),
    loop: () => ({ actions, picked: undefined }),
  };
  if (error !== undefined) return <Problem error={error} />;
  if (placed === undefined) return <Skeleton rows={8} />;
  return (
    <div className={classes['graph']} data-outdated={isOutdated}>
      {of !== '' && (
        <nav aria-label="Graphs" className={classes['path']}>
          <button type="button" className="button" onClick={() => enter(of.split('/').slice(0, -1).join('/'))}>
            Leave {of.split('/').at(-1)}
          </button>
        </nav>
      )}
      {isOutdated && (
        <p className={`${classes['outdated']} pill tinted`} data-tone="waiting">
          As of the last text without errors
        </p>
      )}
      <GraphCanvas
        key={of}
        flow={flowOf(placed, context)}
        card={NodeCard}
        active={chosen === undefined ? [] : [chosen.place]}
        subject="the node at the cursor"
        focused={entry}
        isFollowing={isFollowing}
        follow={isAlone ? undefined : follow}
      />
    </div>
  );
}

const pathOf = (key: string, id: string): string => (key === '' ? id : `${key}/${id}`);

interface Reactions {
  readonly choose: (path: string) => void;
  readonly enter: (key: string) => void;
  readonly setOpen: (change: (before: ReadonlySet<string>) => ReadonlySet<string>) => void;
  readonly setFocused: (place: string) => void;
}

function useActions({ choose, enter, setOpen, setFocused }: Reactions): GraphActions {
  const latest = useRef(choose);
  latest.current = choose;
  const toggle = useCallback(
    (key: string) =>
      setOpen((before) => {
        const now = new Set(before);
        if (!now.delete(key)) now.add(key);
        return now;
      }),
    [setOpen],
  );
  return useMemo(
    () => ({
      choose: ({ key, id }) => latest.current(pathOf(key, id)),
      focus: setFocused,
      enter,
      toggle,
      pick: nothing,
    }),
    [enter, setFocused, toggle],
  );
}
