import { SquareArrowOutUpRight } from 'lucide-react';
import { memo } from 'react';
import { styleOf } from '../../run/graph/canvas/style-of.ts';
import type { GraphActions } from '../../run/graph/flow/graph-actions.ts';
import type { CardData, CardPart } from '../../run/graph/flow/parts.ts';
import { iconOf } from '../../run/graph/node/icons.ts';
import type { Tally } from '../pairs.ts';
import { Verdict } from '../verdict.tsx';
import classes from './compared-card.module.css';

/** Content of a node in the picture of two runs, beside the node itself: the numbers of its pairs. */
export interface ComparedCardData extends Tally, CardData {
  readonly actions: GraphActions;
  /** The keyboard enters the graph here. */
  readonly isEntry: boolean;
  readonly isChosen: boolean;
  /** The workflow of the other run lacks the node. */
  readonly owner: 'only A' | 'only B' | undefined;
}

const verdicts = ['changed', 'only A', 'only B', 'same'] as const;

/** One node of the graph of two runs, with how its activations compare. */
export const ComparedCard = memo(function ComparedCard({ part }: { readonly part: CardPart<ComparedCardData> }) {
  const { node, actions, box, isEntry, isChosen, owner } = part;
  const { id, type, place, graph } = node;
  const Icon = iconOf(type);
  const shown = verdicts.filter((verdict) => part[verdict] > 0);
  const words = shown.map((verdict) => `${part[verdict]} ${verdict}`).join(', ');
  return (
    <div
      className={classes['card']}
      style={styleOf(box)}
      data-verdict={owner ?? shown[0] ?? 'idle'}
      data-chosen={isChosen}
    >
      <button
        type="button"
        className={classes['cover']}
        aria-label={`${id}, ${type}, ${owner === undefined ? '' : `${owner} has it, `}${words === '' ? 'never due' : words}`}
        aria-pressed={isChosen}
        tabIndex={isEntry ? 0 : -1}
        data-place={place}
        onClick={() => actions.choose(node)}
        onFocus={() => actions.focus(place)}
      />
      <span className={classes['head']}>
        <Icon aria-hidden size={16} />
        <strong title={id}>{id}</strong>
      </span>
      <span className={classes['words']}>
        {shown.map((verdict) => (
          <span key={verdict}>
            {part[verdict]} <Verdict of={verdict} />
          </span>
        ))}
        {shown.length === 0 && 'never due'}
      </span>
      {graph !== undefined && (
        <button
          type="button"
          tabIndex={-1}
          className={classes['enter']}
          onClick={() => actions.enter(graph)}
          aria-label={`Open the graph inside ${id}`}
          title="Enter the graph inside"
        >
          <SquareArrowOutUpRight aria-hidden size={13} />
        </button>
      )}
    </div>
  );
});
