import type { ActivationId } from '@millrace/core';

/** A piece of what a step under way says: told to those who watch while it happens, and kept nowhere. */
export interface LiveEvent {
  readonly activation: ActivationId;
  /** The id of the node at work. */
  readonly node: string;
  /** Name of the step, such as `chat gpt-4o` or `tool search`. */
  readonly step: string;
  /** Names this attempt at the step: a later one says everything anew. */
  readonly attempt: string;
  /** Offset of the piece in the output of the attempt, in characters. */
  readonly from: number;
  /** Empty where a step begins, and often where it ends. */
  readonly text: string;
  /** The step is over; what it came to is in the journal. */
  readonly ended?: true;
}

/** The step that is spoken for. */
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

/** The topic on which watchers make themselves known. */
export const watchTopic = 'watch';
