import { ChevronLeft, ChevronRight, X } from 'lucide-react';
import { memo } from 'react';
import { formatCount } from '../../../kit/values/format.ts';
import type { FramePart } from '../flow/parts.ts';
import classes from './loop-frame.module.css';
import { styleOf } from './style-of.ts';

/** The frame around a loop, with its turn, its limit, and buttons that select a turn. */
export const LoopFrame = memo(function LoopFrame({ part }: { readonly part: FramePart }) {
  const { loop, actions, picked, box } = part;
  const { turn, limit, isLive, name } = loop;
  const pick = (to: number | undefined) => actions.pick(name, to);
  return (
    <div className={classes['frame']} style={styleOf(box)} data-live={isLive} data-loop={name}>
      <fieldset className={classes['head']}>
        <legend className="visually-hidden">Turns of the loop at {name}</legend>
        <span>
          loop
          {turn > 0 && ` · turn ${formatCount(turn)}`}
          {turn > 0 && limit !== undefined && limit !== null && ` of ${formatCount(limit)}`}
        </span>
        {turn > 0 && (
          <>
            <button
              type="button"
              aria-label="Turn before"
              title="Look at the turn before"
              disabled={(picked ?? turn + 1) <= 1}
              onClick={() => pick((picked ?? turn + 1) - 1)}
            >
              <ChevronLeft aria-hidden size={13} />
            </button>
            {picked !== undefined && (
              <>
                <output className={classes['picked']}>turn {formatCount(picked)}</output>
                <button
                  type="button"
                  aria-label="Turn after"
                  title="Look at the turn after"
                  disabled={picked >= turn}
                  onClick={() => pick(picked + 1)}
                >
                  <ChevronRight aria-hidden size={13} />
                </button>
                <button type="button" aria-label="All turns" title="Look at all turns" onClick={() => pick(undefined)}>
                  <X aria-hidden size={13} />
                </button>
              </>
            )}
          </>
        )}
      </fieldset>
    </div>
  );
});
