import type { ActivationId } from '@millrace/core';

/** Piece of the output of an executing step: sent to watching clients as it is produced, and not stored. */
export interface LiveEvent {
  readonly activation: ActivationId;
  /** Id of the executing node. */
  readonly node: string;
  /** Name of the step, such as `chat gpt-6-sol` or `tool search`. */
  readonly step: string;
  /** Identifies this attempt at the step: a later attempt repeats the whole output. */
  readonly attempt: string;
  /** Offset of the piece in the output of the attempt, in characters. */
  readonly from: number;
  /** Empty when a step begins, and often when it ends. */
  readonly text: string;
  /** The step has ended; its result is in the journal. */
  readonly ended?: true;
}

/** The step that produces the output. */
export interface LiveStep {
  readonly activation: ActivationId;
  readonly node: string;
  readonly step: string;
}

/** Live output of one attempt at a step. */
export interface LiveOutput {
  write(piece: string): void;
  end(): void;
}

/** Topic on which watchers announce themselves. */
export const watchTopic = 'watch';
