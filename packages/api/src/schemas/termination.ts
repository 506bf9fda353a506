import type { RunTermination } from '@millrace/runtime';
import { z } from 'zod';

const Condition = z
  .object({
    path: z.string().describe('Its place in the tree, such as `$.0.1`; the whole tree is `$`.'),
    type: z.string().describe('`any_of`, `all_of`, or the kind of condition.'),
    id: z.string().optional(),
    config: z.unknown().describe('Its settings, with all defaults; absent for a group.'),
    state: z.unknown().describe('What it keeps, such as a count; absent where nothing has happened.'),
    met: z.array(z.string()).optional().describe('Why it is met; absent until it is.'),
  })
  .meta({ id: 'Condition' });

/** State of the terminations of a run. */
export const Terminations = z
  .object({
    data: z.array(
      z
        .object({
          execution: z.string().describe('The execution of a graph that it belongs to: `s0` for the run itself.'),
          graph: z.string().describe('The key of that graph: empty for the root.'),
          scope: z.string().describe('The named scope; empty for the whole graph.'),
          status: z
            .enum(['running', 'paused', 'stopping', 'failing', 'completed', 'failed', 'cancelled', 'terminated'])
            .describe('`stopping` while what is at work may finish; else as the run.'),
          segment: z.number().int().describe('How often the run has begun.'),
          startedAt: z.number().describe('Milliseconds since 1970, moved on by the time after an end.'),
          pausedMs: z.number(),
          stop: z.object({ code: z.string(), text: z.string() }).nullable().describe('Why it stops.'),
          conditions: z.array(Condition).describe('The tree, every group before what is in it.'),
        })
        .meta({ id: 'Termination' }),
    ),
  })
  .meta({ id: 'Terminations' });
/** Terminations as responses have it. */
export type Terminations = z.output<typeof Terminations>;

/** Terminations as the API shows them. */
export const terminationsOf = (found: readonly RunTermination[]): z.infer<typeof Terminations> => ({
  data: found.map(({ name, stop, conditions, ...facts }) => ({
    ...facts,
    scope: name,
    stop: stop === undefined ? null : { code: stop.code, text: stop.text },
    conditions: conditions.map(({ met, config, state, ...place }) => ({
      ...place,
      config,
      state,
      ...(met === undefined ? {} : { met: [...met] }),
    })),
  })),
});
