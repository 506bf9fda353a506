import type { JournalEntry, Message, MessageId, MessageRef, Plan, RunId, StateView } from '@millrace/core';
import { messageOf, RequestError } from '@millrace/core';
import { loadBody } from '../blobs/long-bodies.ts';
import type { Blobs } from '../blobs/port.ts';
import type { StoredBody } from '../store/port.ts';

/** A run that others are made of, wherever it is kept. */
export interface Ancestor {
  readonly run: RunId;
  readonly state: StateView;
  readonly plan: Plan;
  /** All of its journal. */
  journal(): AsyncIterable<JournalEntry>;
  /** The bodies of messages as they are kept. */
  bodies(ids: readonly MessageId[]): Promise<readonly StoredBody[]>;
}

/** Messages of a run that others are made of. */
export async function messagesOf(
  ancestor: Ancestor,
  blobs: Blobs,
  refs: readonly MessageRef[],
): Promise<readonly Message[]> {
  const stored = await ancestor.bodies(refs.map(({ id }) => id));
  return Promise.all(
    refs.map(async (ref, at) => {
      const body = stored[at];
      if (body === undefined) throw new RequestError('INTERNAL', `Message ${ref.id} of run ${ancestor.run} is gone.`);
      return messageOf(ref, await loadBody(blobs, body));
    }),
  );
}
