import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatDay } from '../kit/values/format.ts';
import type { Stack } from './stacks.ts';
import { dayTicks, stackColor } from './stacks.ts';

interface UsageChartProps {
  readonly days: readonly string[];
  readonly stacks: readonly Stack[];
  /** Returns an amount as the axis shows it. */
  readonly format: (amount: number) => string;
}

const height = 240;
/** Width of the axis of amounts, in pixels. */
const yAxisWidth = 64;
/** Half a day, in seconds. */
const margin = 12 * 60 * 60;

/** Bars of each day, stacked. The table beside it has the same numbers, so the chart is hidden from screen readers. */
export function UsageChart({ days, stacks, format }: UsageChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const plot = new uPlot(optionsFor({ days, stacks, format }, element.clientWidth), dataOf(days, stacks), element);
    const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    sizes.observe(element);
    const themes = new MutationObserver(() => plot.redraw());
    themes.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      sizes.disconnect();
      themes.disconnect();
      plot.destroy();
    };
  }, [days, stacks, format]);
  return <div ref={place} aria-hidden />;
}

/** Returns the data of a chart whose first series is the whole bar, over which the smaller sums are drawn. */
function dataOf(days: readonly string[], stacks: readonly Stack[]): uPlot.AlignedData {
  const sums: number[][] = [];
  for (const { amounts } of stacks) {
    const below = sums.at(-1);
    sums.push(amounts.map((amount, at) => amount + (below?.[at] ?? 0)));
  }
  return [days.map((day) => Date.parse(day) / 1000), ...sums.reverse()];
}

function optionsFor({ days, stacks, format }: UsageChartProps, width: number): uPlot.Options {
  const bars = uPlot.paths.bars?.({ size: [0.7, 48] });
  const axis: uPlot.Axis = {
    stroke: () => color('--muted'),
    font: `12px ${color('--sans')}`,
    grid: { stroke: () => color('--line'), width: 1 },
    ticks: { stroke: () => color('--line'), width: 1 },
  };
  const at = (day: string | undefined): number => Date.parse(day ?? '') / 1000;
  return {
    width,
    height,
    legend: { show: false },
    cursor: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: {
      x: { range: () => [at(days[0]) - margin, at(days.at(-1)) + margin] },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        splits: (plot) => dayTicks(days, plot.width - yAxisWidth).map(at),
        values: (_plot, splits) => splits.map((seconds) => formatDay(new Date(seconds * 1000).toISOString())),
      },
      { ...axis, size: yAxisWidth, values: (_plot, splits) => onceEach(splits.map(format)) },
    ],
    series: [
      {},
      ...stacks.map((_, index) => ({
        ...(bars === undefined ? {} : { paths: bars }),
        fill: () => color(stackColor(stacks.length - 1 - index)),
        width: 0,
        points: { show: false },
      })),
    ],
  };
}

/** Leaves out words that repeat those before: small amounts are rounded to the same ones. */
const onceEach = (labels: readonly string[]): string[] =>
  labels.map((word, at) => (word === labels[at - 1] ? '' : word));

const color = (token: string): string => getComputedStyle(document.documentElement).getPropertyValue(token).trim();
