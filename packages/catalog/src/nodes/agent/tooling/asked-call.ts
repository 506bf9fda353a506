import type { CallToApprove, DecidedCall, StepAction, ToolAnswer, ToolCall } from '@millrace/core';
import { omitUndefined } from '@millrace/core';
import type { BoundTool, ToolArguments } from './bound-tool.ts';
import type { PolicyDecision } from './tool-policy.ts';

/*
 * Calls that policies deny or ask about, and what the model is told of them.
 */

type Asking = Extract<PolicyDecision, { do: 'ask' }>;
type Denying = Extract<PolicyDecision, { do: 'deny' }>;

/** Maximum length of the schema of arguments that a question has, in characters; a longer one only its server checks. */
const longestSchema = 64 * 1024;

/** Returns a call that a person must approve. */
export const callToApprove = (
  { name, spec, server }: BoundTool,
  { rule, expiresMs }: Omit<Asking, 'do'>,
  call: Pick<CallToApprove, 'place' | 'repetition' | 'arguments'>,
): CallToApprove => ({
  ...call,
  tool: name,
  parameters: JSON.stringify(spec.parameters).length > longestSchema ? { type: 'object' } : spec.parameters,
  rule,
  ...omitUndefined({ server, expiresMs }),
});

/** A call that is refused. */
interface RefusedCall extends Pick<ToolCall, 'name'>, Pick<StepAction, 'begun'> {}

/** Returns the answer to a refused call; it says so if an interrupted attempt may have made the call before. */
const notMade = ({ name, begun }: RefusedCall, why: string): ToolAnswer => ({
  content: begun
    ? `Tool ${name} may have been called: this call was begun, and its result is lost. It was not called again: ${why}`
    : `Tool ${name} was not called: ${why}`,
  failed: true,
});

/** Returns the answer to a call that a policy denies, also if it does so because of the arguments of a person. */
export function deniedAnswer(call: RefusedCall, { rule, reason }: Denying, edited?: ToolArguments): ToolAnswer {
  const answer = notMade(call, reason ?? `a rule does not allow it (${rule}).`);
  if (edited === undefined) return answer;
  const changed = JSON.stringify(edited).slice(0, mostRepeated);
  return { ...answer, content: `A person has changed the arguments of this call to ${changed}.\n\n${answer.content}` };
}

/** Maximum number of characters of denied arguments that a model reads again. */
const mostRepeated = 1000;

/** Returns the answer to a call that nobody has approved. */
export function rejectedAnswer(
  call: RefusedCall,
  { reason, expired }: Extract<DecidedCall, { type: 'rejected' }>,
): ToolAnswer {
  if (expired) return notMade(call, 'a person had to approve it, and nobody did in time.');
  return notMade(call, reason === undefined ? 'a person has rejected it.' : `a person has rejected it: ${reason}`);
}

/** Returns the answer to a call whose arguments a person has changed; it says what was sent. */
export function withSentArguments({ content, ...answer }: ToolAnswer, sent: ToolArguments): ToolAnswer {
  const note = `A person has changed the arguments of this call. It was made with ${JSON.stringify(sent)}.`;
  return {
    ...answer,
    content: typeof content === 'string' ? `${note}\n\n${content}` : [{ type: 'text', text: note }, ...content],
  };
}
