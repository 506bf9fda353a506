import type { ActivationId, Event, RunId, Settlement, StateView, Usage } from '@millrace/core';

/** One attempt at an activation, as it begins. */
export interface Attempt {
  readonly run: RunId;
  readonly activation: ActivationId;
  /** Id and type of the node; the type is absent for the count of votes of a root graph. */
  readonly node: string;
  readonly type?: string | undefined;
  /** The stretch of the run between its ends that it is part of, from 1. */
  readonly segment: number;
  /** W3C `traceparent` of whoever started the run. */
  readonly trace?: string | undefined;
}

/** How an attempt ended. `abandoned`: nobody wanted it any more; `refused`: its result came too late. */
export type AttemptEnd =
  | { readonly outcome: Exclude<Settlement['type'], 'failed'> | 'abandoned' | 'refused' }
  | { readonly outcome: 'failed'; readonly code: string };

/** A side effect of an attempt that is made now, not remembered. */
export interface StepBegun {
  readonly attempt: Attempt;
  readonly name: string;
  /** What is asked of the outside; holds no secret, but all that is said. */
  readonly request: unknown;
  /** The model that is asked, and by which provider; absent for other steps. */
  readonly model?: { readonly provider: string; readonly name: string } | undefined;
}

/** End of a step. */
export interface StepEnd {
  readonly outcome: 'completed' | 'failed';
  readonly usage?: Usage | undefined;
  /** What it came to; absent when it was interrupted. */
  readonly value?: unknown;
}

/** What a commit of this process has made of a run. */
export interface Committed {
  readonly run: RunId;
  readonly events: readonly Event[];
  readonly state: StateView;
}

/** Hears what this process does, so that metrics and traces can be made of it. Nothing waits for it; it never throws. */
export interface Instrumentation {
  committed?(commit: Committed): void;
  /** What it gives back hears of the end. */
  attempt?(attempt: Attempt): (end: AttemptEnd) => void;
  step?(step: StepBegun): (end: StepEnd) => void;
  /** What the log is to say of an attempt beside its ids. */
  mark?(attempt: Pick<Attempt, 'run' | 'trace'>): Readonly<Record<string, string>>;
}

const nothing = (): void => undefined;

/** All instrumentation of a process. Where there is none, nothing is spent on it. */
export class Instrumentations implements Required<Instrumentation> {
  readonly #all: Instrumentation[] = [];

  add(instrumentation: Instrumentation): void {
    this.#all.push(instrumentation);
  }

  committed(commit: Committed): void {
    for (const instrumentation of this.#all) instrumentation.committed?.(commit);
  }

  attempt(attempt: Attempt): (end: AttemptEnd) => void {
    return together(this.#all.map((instrumentation) => instrumentation.attempt?.(attempt)));
  }

  mark(attempt: Pick<Attempt, 'run' | 'trace'>): Readonly<Record<string, string>> {
    return Object.assign({}, ...this.#all.map((instrumentation) => instrumentation.mark?.(attempt)));
  }

  step(step: StepBegun): (end: StepEnd) => void {
    return together(this.#all.map((instrumentation) => instrumentation.step?.(step)));
  }
}

function together<End>(hearers: readonly (((end: End) => void) | undefined)[]): (end: End) => void {
  if (hearers.length === 0) return nothing;
  return (end) => {
    for (const hear of hearers) hear?.(end);
  };
}
