import type { FailureProjection } from '@millrace/core/projection';
import { Maximize2, Minimize2, SquareArrowOutUpRight } from 'lucide-react';
import { memo } from 'react';
import { formatMoney, oneLine } from '../../../kit/values/format.ts';
import { plainProse } from '../../../kit/values/prose.tsx';
import { StatusIcon, toneOf } from '../../../kit/values/status.tsx';
import canvas from '../canvas/graph-canvas.module.css';
import type { CardPart, NodeCardData } from '../flow/parts.ts';
import { isShort } from '../layout/shape.ts';
import { styleOf } from '../layout/style-of.ts';
import { describeNode, timesOf } from './describe-node.ts';
import { iconOf } from './icons.ts';
import classes from './node-card.module.css';
import { NodeLine } from './node-line.tsx';

/** One node of a graph: its type, its name, its state in words, and its current activity. */
export const NodeCard = memo(function NodeCard({ part }: { readonly part: CardPart<NodeCardData> }) {
  const { run, node, actions, box, isEntry, isChosen, isDimmed, isOpen, inner, caption, asOf, failure } = part;
  const Icon = iconOf(node.type);
  const { id, status, microUsd, place } = node;
  const tone = toneOf(status);
  return (
    <div
      className={`${canvas['card']} ${classes['card']} stack`}
      style={styleOf(box)}
      data-node={id}
      data-state={status}
      data-tone={tone}
      data-chosen={isChosen}
      data-dimmed={isDimmed}
      data-open={isOpen}
      data-inner={node.graph !== undefined}
    >
      <button
        type="button"
        className={canvas['cover']}
        aria-label={caption === undefined ? describeNode(node) : `${id}, ${caption}`}
        aria-pressed={isChosen}
        tabIndex={isEntry ? 0 : -1}
        data-place={place}
        onClick={() => actions.choose(node)}
        onFocus={() => actions.focus(place)}
      />
      <span className={`${classes['head']} row`}>
        <Icon aria-hidden size={16} className={`${classes['type']} muted`} />
        <strong title={id}>{id}</strong>
        {microUsd !== undefined && microUsd > 0 && (
          <span className={`${classes['cost']} muted small`}>{formatMoney(microUsd)}</span>
        )}
      </span>
      <span className={`${classes['state']} cut muted small`}>
        {caption === undefined && <StatusIcon of={status} size={12} />}{' '}
        <span className={classes['word']}>{caption ?? status}</span>
        {node.runs > 0 && <span> · {timesOf(node.runs)}</span>}
        {failure !== undefined && isShort(box) && (
          <span>
            {' · '}
            <FailureText failure={failure} />
          </span>
        )}
        {node.live > 1 && node.units === undefined && <span> · {node.live} live</span>}
      </span>
      {!isOpen && (
        <span className={classes['detail']}>
          {failure === undefined ? (
            <NodeLine run={run} node={node} inner={inner} asOf={asOf} />
          ) : (
            !isShort(box) && (
              <span className="cut small">
                <FailureText failure={failure} />
              </span>
            )
          )}
        </span>
      )}
      {node.graph !== undefined && <InnerButtons {...part} />}
    </div>
  );
});

/** The error of a node, whose panel shows it in full. */
const FailureText = ({ failure: { code, message } }: { readonly failure: FailureProjection }) => (
  <span title={`${code}: ${plainProse(message)}`}>{oneLine(plainProse(message))}</span>
);

/** Buttons of a node that has a graph inside it. */
function InnerButtons({ node, actions, isOpen, canOpen }: CardPart<NodeCardData>) {
  const { graph, id } = node;
  if (graph === undefined) return null;
  return (
    <span className={`${classes['buttons']} row`}>
      {canOpen && (
        <button
          type="button"
          className="icon-button muted"
          tabIndex={-1}
          onClick={() => actions.toggle(graph)}
          aria-label={isOpen ? `Close the graph inside ${id}` : `Show the graph inside ${id} here`}
          title={isOpen ? 'Close the graph inside' : 'Show the graph inside here'}
        >
          {isOpen ? <Minimize2 aria-hidden size={13} /> : <Maximize2 aria-hidden size={13} />}
        </button>
      )}
      <button
        type="button"
        className="icon-button muted"
        tabIndex={-1}
        onClick={() => actions.enter(graph)}
        aria-label={`Open the graph inside ${id}`}
        title="Enter the graph inside"
      >
        <SquareArrowOutUpRight aria-hidden size={13} />
      </button>
    </span>
  );
}
