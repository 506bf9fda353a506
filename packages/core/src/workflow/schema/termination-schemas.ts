import { z } from 'zod';

/** Terminations and named scopes as authors write them. */
const anything = z.unknown().optional();

/** What happens when a scope stops; stands beside the conditions. */
export const TerminationOptionsSchema = z.object({
  in_flight: z
    .union([z.enum(['drain', 'cancel']), z.object({ drain_seconds: z.number().gt(0) })], {
      error: 'Write drain, cancel, or a number of seconds as in `{ drain_seconds: 30 }`.',
    })
    .default('drain')
    .describe('What happens to work in flight: it may finish (drain), is cut off (cancel), or may take so long.'),
  exit_to: z
    .array(z.string())
    .default([])
    .describe(
      'Nodes that get the stop message when the scope has stopped: outside of a named scope, or any of a graph, which come last in it.',
    ),
  carry_last: z
    .union([z.boolean(), z.string()])
    .default(true)
    .describe('Whether they also get the last message of the scope, or that of the node with this id.'),
  message: z.string().optional().describe('The text of the stop message; the reason when there is none.'),
});

/** A condition of the catalogue. */
export const TerminationLeafSchema = z.object({
  type: z.string().describe('The kind of condition.'),
  config: anything.describe('Its settings.'),
  id: z.string().min(1).nullish().describe('A name for it that stands in the reason.'),
  in_flight: z.literal('cancel').optional().describe('Cut off what is at work when this condition is met.'),
});

/** A part of a graph that stops together. */
export const NamedScopeSchema = z.object({
  id: z.string().min(1).describe('Name of the scope, unique in the graph.'),
  nodes: z.array(z.string()).min(1).describe('Ids of the nodes in it.'),
  termination: anything.describe('When it stops.'),
  max_iterations: z
    .union([z.int().min(1), z.literal('unlimited')])
    .optional()
    .describe('Rounds after which a loop in it is cut that nothing else guards; 100 when not given.'),
});
