import type { AskedCall } from '@millrace/core';
import { describeIssues, RequestError } from '@millrace/core';
import { z } from 'zod';
import { toolArgumentProblems } from '../schema/tool-argument-problems.ts';
import { unreadable } from '../schema/unreadable.ts';
import type { GivenAnswer } from './answer-content.ts';

/** Arguments as they were written: a record of zod would leave out a field `__proto__`, which the person has seen. */
const Arguments = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  { error: 'must be an object' },
);

/** The decision of a person on a call of a tool: the `data` of the answer to a question about it. */
const CallDecision = z
  .strictObject({
    decision: z.enum(['approve', 'reject'], { error: 'must be `approve` or `reject`' }),
    arguments: Arguments.optional(),
    reason: z.string().trim().min(1).max(10_000).optional(),
    hash: z.string().optional(),
  })
  .refine(({ decision, arguments: edited }) => decision === 'approve' || edited === undefined, {
    path: ['arguments'],
    error: 'belong to an approval: a call that is rejected is not made',
  });
type CallDecision = z.infer<typeof CallDecision>;

/** Returns the decision that an answer is. Throws RequestError, `ANSWER_INVALID`, for one that is none; the question stays open. */
export async function callDecision(
  { id, call }: { readonly id: string; readonly call: Pick<AskedCall, 'tool' | 'parameters'> },
  { text, data }: GivenAnswer,
): Promise<CallDecision> {
  const refused = (reason: string) => new RequestError('ANSWER_INVALID', `Question ${id} ${reason}`);
  if (data === undefined || text !== undefined)
    throw refused(
      'asks for the approval of a call: answer it with `data`, such as {"decision": "approve"} or {"decision": "reject", "reason": "…"}, without a text.',
    );
  const parsed = CallDecision.safeParse(data);
  if (parsed.error !== undefined)
    throw refused(`takes a decision as \`data\`: ${describeIssues(parsed.error.issues)}.`);
  const { arguments: edited } = parsed.data;
  const unsendable = edited && unreadable(edited);
  if (unsendable !== undefined) throw refused(`takes no such call: ${unsendable}.`);
  const problems = edited === undefined ? [] : await toolArgumentProblems(JSON.parse(call.parameters), edited);
  if (problems.length > 0)
    throw refused(`takes arguments that match the schema of the tool "${call.tool}": ${problems.join('; ')}.`);
  return parsed.data;
}
