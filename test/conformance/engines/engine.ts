import type { Workflow } from '@millrace/core';
import type { Trace } from '../../support/reference/trace.ts';
import type { Feature } from './features.ts';
import type { Setting } from './observe.ts';

/** A file that is part of a case's task. */
export interface AttachedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A case that is ready to run: its workflow was accepted. */
export interface PreparedCase {
  readonly workflow: Workflow;
  readonly input: string;
  readonly attachments: readonly AttachedFile[];
  readonly setting: Setting;
}

/** Something that runs workflows. */
export interface Engine {
  readonly name: string;
  readonly lacks: readonly Feature[];
  /** Gives up when the signal is aborted. */
  run(prepared: PreparedCase, signal: AbortSignal): Promise<Trace>;
  close(): Promise<void>;
}
