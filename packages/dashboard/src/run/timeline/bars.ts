import type { Activation } from '@millrace/client';

/** One activation as a bar: its parts are shares of the whole time, from 0 to 1. */
export interface Bar {
  readonly activation: Activation;
  readonly ready: number;
  readonly started: number;
  readonly ended: number;
}

/** Milliseconds that the bars cover. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Returns the time that activations cover, up to `now` while one of them has not settled. */
export function spanOf(activations: readonly Activation[], now: number): Span {
  let from = now;
  let to = 0;
  for (const { readyAt, settledAt } of activations) {
    from = Math.min(from, readyAt);
    to = Math.max(to, settledAt ?? now);
  }
  return { from, to: Math.max(to, from + 1) };
}

/** Returns when an activation began to work: of quick ones only their first call tells. Undefined: it has not begun. */
export function startOf({ readyAt, startedAt, settledAt, calls }: Activation): number | undefined {
  return startedAt ?? calls[0]?.startedAt ?? (settledAt === undefined ? undefined : readyAt);
}

/** Returns the bar of an activation within a time. */
export function barOf(activation: Activation, { from, to }: Span): Bar {
  const share = (at: number): number => (at - from) / (to - from);
  const { readyAt, settledAt } = activation;
  const started = startOf(activation);
  const ended = settledAt ?? to;
  return { activation, ready: share(readyAt), started: share(started ?? ended), ended: share(ended) };
}
