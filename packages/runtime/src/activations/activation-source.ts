import type { Message, MessageRef, RunId } from '@millrace/core';
import type { RunProjection } from '@millrace/core/projection';
import type { OpenRun } from '../commit/cached-run.ts';
import type { Store } from '../ports/store/port.ts';
import type { MessageHead } from './message-heads.ts';

/** The part of the runs of a process that reading activations needs. */
interface RunReader {
  refresh(run: RunId): Promise<OpenRun | undefined>;
  /** Returns the projection of the run now, or as of an event; undefined when there is no such run. */
  projection(run: RunId, at?: string): Promise<RunProjection | undefined>;
  heads(run: RunId, refs: readonly Pick<MessageRef, 'id'>[], chars: number): Promise<readonly MessageHead[]>;
  messages(run: RunId, refs: readonly MessageRef[]): readonly Message[] | Promise<readonly Message[]>;
}

/** Sources that activations are read from. */
export interface ActivationSource {
  readonly runs: RunReader;
  readonly store: Pick<Store, 'journal'>;
}
