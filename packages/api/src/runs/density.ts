import { z } from 'zod';
import { operation } from '../operation/operation.ts';
import { unknownRun } from '../operation/refusal.ts';
import { EventId } from '../schemas/runs/event.ts';
import { RunPath } from '../schemas/runs/run.ts';

const column = z.array(z.int());

const RunDensity = z
  .object({
    event: EventId.describe('The last event that is counted.'),
    at: z.number().describe('Time of that event, in milliseconds since 1970.'),
    commits: z.int().describe('Number of commits that each bar covers: the first one those from 1 on.'),
    from: column.describe('Time of the first event of each bar, in milliseconds since 1970.'),
    events: column.describe('Number of events.'),
    failures: column.describe('Number of failures.'),
    questions: column.describe('Number of questions to people.'),
    turns: column.describe('Number of iterations of loops that began.'),
    pauses: column.describe('Number of pauses.'),
  })
  .meta({ id: 'RunDensity' });

export const getDensity = operation({
  name: 'runs.density',
  method: 'GET',
  path: '/v1/runs/:id/density',
  scope: 'read',
  summary: 'The number of events over the whole journal of a run, in bars of equally many commits',
  description:
    'The columns have one value for each bar: at most 256 bars, however long the journal is. They are counted as the journal grows, so the request costs as much for a long run as for a short one.',
  params: RunPath,
  output: RunDensity,
  responses: { 304: z.undefined().describe('Nothing has happened since the event in If-None-Match.') },
  async run({ tenant }, { id }) {
    const density = await tenant.run(id).density();
    if (density === undefined) throw unknownRun(id);
    const { from, events, failures, questions, turns, pauses } = density;
    return {
      body: {
        event: density.event,
        at: density.at,
        commits: density.commits,
        from: [...from],
        events: [...events],
        failures: [...failures],
        questions: [...questions],
        turns: [...turns],
        pauses: [...pauses],
      },
      headers: { etag: `"${density.event}"` },
    };
  },
});
