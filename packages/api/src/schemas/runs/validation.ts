import { z } from 'zod';
import { Diagnostic, Yaml } from '../workflow.ts';
import { RunGraphs } from './run-graph.ts';

/** Schema of the text to validate. */
export const ValidateWorkflow = z
  .strictObject({
    yaml: Yaml,
    vars: z.record(z.string(), z.unknown()).optional().describe('Values for variables of the workflow.'),
    compat: z.literal('chatdev').optional().describe("Follow this engine's behaviour where ours differs."),
  })
  .meta({ id: 'ValidateWorkflow' });

/** Query of a validation. */
export const ValidationQuery = z.object({
  graph: z.literal('true').optional().describe('Also return the graphs of a valid text, for a picture of it.'),
});

/** Result of a validation. */
export const Validation = z
  .object({
    valid: z.boolean().describe('True when there is no error.'),
    diagnostics: z.array(Diagnostic),
    graphs: RunGraphs.optional().describe(
      'The graphs as a run of the text would show them before its first event; only with `graph=true`, and only of a valid text.',
    ),
  })
  .meta({ id: 'Validation' });
/** Validation as responses have it. */
export type Validation = z.output<typeof Validation>;
