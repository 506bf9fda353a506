import type { ChatMessage, Failure, Message } from '@millrace/core';

/** Behaviour of a run, as far as the meaning of its workflow determines it: the same for every engine. */
export interface Trace {
  /** In order of completion; only the order among activations of the same node of the same graph instance has meaning. */
  readonly activations: readonly Activation[];
  readonly calls: readonly ModelCall[];
  /** The final output; absent when no node gave one. */
  readonly final?: Message;
  /** Error for which the run failed. */
  readonly error?: Failure & { readonly node?: string };
  /** Messages that wait at each node of the root graph when the run is over; only nodes where something waits. */
  readonly waiting?: Readonly<Record<string, readonly Message[]>>;
  /** Entries of the cycles that the iteration cap cut short. */
  readonly capped: readonly string[];
}

/** One time a node ran. A fan-out is one activation with its units. */
export interface Activation {
  /** Key of the graph: `''` for the root, `Sub/Inner` for a graph inside a graph. */
  readonly graph: string;
  /** Tells several executions of one graph apart, counted from 1 in order of their start. */
  readonly instance: number;
  readonly node: string;
  readonly inputs: readonly Message[];
  readonly outputs: readonly Message[];
  readonly routes: readonly TraceRoute[];
  readonly units?: readonly Unit[];
}

/** One execution of a node within a fan-out. */
export interface Unit {
  readonly inputs: readonly Message[];
  readonly outputs: readonly Message[];
}

/** Effect of one output on one outgoing edge. */
export interface TraceRoute {
  readonly to: string;
  /** Index of the output. */
  readonly output: number;
  readonly met: boolean;
  /** The message as it arrives; absent when nothing does. */
  readonly delivered?: Message;
}

/** A question to a model. */
export interface ModelCall {
  readonly node: string;
  readonly messages: readonly ChatMessage[];
}
