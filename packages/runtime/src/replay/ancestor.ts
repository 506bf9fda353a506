import type { JournalEntry, Message, MessageId, MessageRef, Plan, RunId, StateView } from '@millrace/core';
import { messageOf, RequestError } from '@millrace/core';
import { loadBody } from '../blobs/long-bodies.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { StoredBody } from '../ports/store/port.ts';

/** Original run of a replay or fork, wherever it is stored. */
export interface Ancestor {
  readonly run: RunId;
  readonly state: StateView;
  readonly plan: Plan;
  /** Yields its whole journal. */
  journal(): AsyncIterable<JournalEntry>;
  /** Returns the bodies of messages as they are stored. */
  bodies(ids: readonly MessageId[]): Promise<readonly StoredBody[]>;
}

/** Returns messages of an original run. */
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
