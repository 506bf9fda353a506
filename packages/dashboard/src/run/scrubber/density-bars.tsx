import type { Bar } from './density.ts';
import classes from './scrubber.module.css';

interface DensityBarsProps {
  readonly bars: readonly Bar[];
  /** Number of bars that are as wide as the slider; the last one may be a part of a bar. */
  readonly across?: number;
  /** Part of the journal that is selected, from 0 to 1. */
  readonly upTo: number;
}

/** Rate of events over time, with marks for failures, questions and the like. */
export function DensityBars({ bars, across = bars.length, upTo }: DensityBarsProps) {
  const width = 100 / Math.max(1, across);
  // A short journal is a row of ticks, not of blocks.
  const drawn = Math.min(width * 0.8, 0.6);
  return (
    <svg className={classes['density']} viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden>
      {bars.map(({ height, mark }, at) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: the bars are places in time
          key={at}
          x={at * width + (width - drawn) / 2}
          width={drawn}
          y={mark === undefined ? 24 - 4 - 14 * height : 24 - 4 - Math.max(8, 18 * height)}
          height={mark === undefined ? 4 + 14 * height : 4 + Math.max(8, 18 * height)}
          data-mark={mark}
          data-past={at / across < upTo}
        />
      ))}
    </svg>
  );
}
