import type { RunTermination } from '@millrace/runtime';
import { z } from 'zod';

const Condition = z
  .object({
    path: z.string().describe('Its place in the tree, such as `$.0.1`; the whole tree is `$`.'),
    type: z.string().describe('`any_of`, `all_of`, or the kind of condition.'),
    id: z.string().optional(),
    config: z.unknown().describe('Its settings, with all defaults; absent for a group.'),
    state: z.unknown().describe('State of the condition, such as a count; absent where nothing has happened.'),
    met: z.array(z.string()).optional().describe('Reason why it is satisfied; absent until it is.'),
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
            .describe('`stopping` while active work may finish; otherwise the status of the run.'),
          segment: z.number().int().describe('Number of the segment, from 1.'),
          startedAt: z
            .number()
            .describe('Milliseconds since 1970, postponed by the time during which the run had ended.'),
          pausedMs: z.number(),
          stop: z.object({ code: z.string(), text: z.string() }).nullable().describe('Reason why it stops.'),
          conditions: z.array(Condition).describe('The tree, each group before its members.'),
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
