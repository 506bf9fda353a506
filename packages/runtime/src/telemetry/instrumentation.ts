import type { ActivationId, Event, RunId, Settlement, StateView, Usage } from '@millrace/core';

/** One attempt at an activation, as it begins. */
export interface Attempt {
  readonly run: RunId;
  readonly activation: ActivationId;
  /** Id and type of the node; the type is absent for the count of votes of a root graph. */
  readonly node: string;
  readonly type?: string | undefined;
  /** Number of its unit in a fan-out, from 0. */
  readonly unit?: number | undefined;
  /** Segment of the run between its ends that it is part of, from 1. */
  readonly segment: number;
  /** W3C `traceparent` of the caller that started the run. */
  readonly trace?: string | undefined;
}

/** Outcome of an attempt. `abandoned`: it was no longer needed; `refused`: its result came too late. */
export type AttemptEnd =
  | { readonly outcome: Exclude<Settlement['type'], 'failed'> | 'abandoned' | 'refused' }
  | { readonly outcome: 'failed'; readonly code: string };

/** A side effect of an attempt that is executed now, not replayed. */
export interface StepBegun {
  readonly attempt: Attempt;
  readonly name: string;
  /** Request of the step; contains no secret, but its full contents. */
  readonly request: unknown;
  /** Model and provider of the request; absent for other steps. */
  readonly model?: { readonly provider: string; readonly name: string } | undefined;
}

/** End of a step. */
export interface StepEnd {
  readonly outcome: 'completed' | 'failed';
  readonly usage?: Usage | undefined;
  /** It took more from the budget than was reserved for it. */
  readonly isAboveBound?: boolean;
  /** Result; absent when the step was interrupted. */
  readonly value?: unknown;
}

/** Changes of a run by a commit of this process. */
export interface AppliedCommit {
  readonly run: RunId;
  readonly events: readonly Event[];
  readonly state: StateView;
}

/** Operation on blobs that moves contents, or deletes them. */
export type BlobOperation = 'put' | 'get' | 'read' | 'delete';

/** Observer of this process, from which metrics and traces are made. Nothing waits for it; it never throws. */
export interface Instrumentation {
  committed?(commit: AppliedCommit): void;
  /** Called when an attempt begins; the returned observer is called at its end. */
  attempt?(attempt: Attempt): (end: AttemptEnd) => void;
  step?(step: StepBegun): (end: StepEnd) => void;
  /** Called when an operation on blobs begins; the returned observer is called at its end. */
  blob?(operation: BlobOperation): () => void;
  /** Returns fields that the log adds to the ids of an attempt. */
  mark?(attempt: Pick<Attempt, 'run' | 'trace'>): Readonly<Record<string, string>>;
}

const nothing = (): void => undefined;

/** All instrumentation of a process. Without any, it costs nothing. */
export class Instrumentations implements Required<Instrumentation> {
  readonly #all: Instrumentation[] = [];

  add(instrumentation: Instrumentation): void {
    this.#all.push(instrumentation);
  }

  committed(commit: AppliedCommit): void {
    for (const instrumentation of this.#all) instrumentation.committed?.(commit);
  }

  attempt(attempt: Attempt): (end: AttemptEnd) => void {
    return together(this.#all.map((instrumentation) => instrumentation.attempt?.(attempt)));
  }

  mark(attempt: Pick<Attempt, 'run' | 'trace'>): Readonly<Record<string, string>> {
    return Object.assign({}, ...this.#all.map((instrumentation) => instrumentation.mark?.(attempt)));
  }

  blob(operation: BlobOperation): () => void {
    return together<void>(this.#all.map((instrumentation) => instrumentation.blob?.(operation)));
  }

  step(step: StepBegun): (end: StepEnd) => void {
    return together(this.#all.map((instrumentation) => instrumentation.step?.(step)));
  }
}

function together<End>(callbacks: readonly (((end: End) => void) | undefined)[]): (end: End) => void {
  if (callbacks.length === 0) return nothing;
  return (end) => {
    for (const callback of callbacks) callback?.(end);
  };
}
