import { z } from 'zod';
import { singleLine } from '../../model/text/field-patterns.ts';

/** Terminations and named scopes as authors write them. */
const anything = z.unknown().optional();
const name = z.string().regex(singleLine);

/** Options of a termination, beside its conditions. */
export const TerminationOptionsSchema = z.object({
  in_flight: z
    .union(
      [
        z.enum(['drain', 'cancel']),
        z.object({ drain_seconds: z.number().gt(0).describe('Seconds that executing activations may still take.') }),
      ],
      {
        error: 'Write drain, cancel, or a number of seconds as in `{ drain_seconds: 30 }`.',
      },
    )
    .default('drain')
    .describe(
      'What happens to executing activations: drain lets them finish, cancel cancels them, drain_seconds limits the time.',
    ),
  exit_to: z
    .array(name)
    .default([])
    .describe(
      'Nodes that receive the stop message after the scope has stopped: nodes outside of a named scope, or exit nodes of a graph.',
    ),
  carry_last: z
    .union([z.boolean(), name])
    .default(true)
    .describe('The nodes also receive the last message of the scope, or of the node with this id.'),
  message: z.string().optional().describe('Text of the stop message; the reason if omitted.'),
});

/** A condition of the catalogue. */
export const TerminationLeafSchema = z.object({
  type: name.describe('Type of the condition.'),
  config: anything.describe('Settings of the condition type.'),
  id: name.min(1).nullish().describe('Name of the condition in the reason.'),
  in_flight: z.literal('cancel').optional().describe('Cancels executing activations when this condition is satisfied.'),
});

/** Nodes of a graph that stop together. */
export const NamedScopeSchema = z.object({
  id: name.min(1).describe('Name of the scope, unique in the graph.'),
  nodes: z.array(name).min(1).describe('Ids of the nodes in the scope.'),
  termination: anything.describe('Conditions that stop the scope.'),
  max_iterations: z
    .union([z.int().min(1), z.literal('unlimited')])
    .optional()
    .describe('Maximum number of iterations of a loop in the scope that nothing else ends; 100 if omitted.'),
});
