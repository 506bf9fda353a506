import { z } from 'zod';

const ProblemDetail = z
  .object({
    code: z.string().optional().describe('One of the error codes, for errors of a workflow.'),
    pointer: z.string().describe('Place: a JSON pointer into the request, or a path in the workflow.'),
    detail: z.string(),
    hint: z.string().optional(),
    line: z.number().int().optional().describe('In the text of the workflow, from 1.'),
    column: z.number().int().optional().describe('In the text of the workflow, from 1.'),
  })
  .meta({ id: 'ProblemDetail' });

/** Refusal of a request in the form of RFC 9457. */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    instance: z.string().describe('The path of the request.'),
    code: z.string().describe('One of the error codes; each has a page in the documentation.'),
    requestId: z.string(),
    errors: z.array(ProblemDetail).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;

/** One problem of a request. */
export type ProblemDetail = z.infer<typeof ProblemDetail>;

/** Schemas of the responses of a route that are problems. */
export const problems = {
  default: {
    description: 'The request was refused.',
    content: { 'application/problem+json': { schema: Problem } },
  },
} as const;
