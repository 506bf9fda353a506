import type { LiveEvent } from '@millrace/runtime';
import { z } from 'zod';
import { operation } from '../operation/operation.ts';
import type { RunEvent } from '../schemas/runs/event.ts';
import { EventId, Live } from '../schemas/runs/event.ts';
import { RunPath } from '../schemas/runs/run.ts';
import { assertReached, describeKnown } from './describe.ts';

/** Source of the events of a run. */
export interface RunEventSource {
  readonly entries: AsyncIterable<RunEvent>;
  /** Returns live output until the signal is aborted; absent if the caller does not request it. */
  readonly listen?: (over: AbortSignal) => AsyncIterable<LiveEvent>;
}

export const followEvents = operation({
  name: 'runs.events',
  method: 'GET',
  path: '/v1/runs/:id/events',
  sharesPath: true,
  scope: 'read',
  summary: 'The events of a run, past and live',
  params: RunPath,
  query: z.object({ live: Live }),
  headers: z.object({ 'last-event-id': EventId.optional() }),
  output: z.custom<RunEventSource | undefined>(),
  kind: 'events',
  async run({ tenant, signal }, { id, live, 'last-event-id': after = '0' }) {
    const description = await describeKnown(tenant, id);
    assertReached(description, after);
    if (description.finishedAt !== undefined && (await tenant.run(id).journal(after, 1)).length === 0) {
      return { body: undefined, status: 204 };
    }
    const entries = tenant.run(id).followEvents(after, signal);
    return { body: live === 'true' ? { entries, listen: (over) => tenant.run(id).listen(over) } : { entries } };
  },
});
