import type { CallToApprove, DecidedCall, ToolAnswer, ToolCall } from '@millrace/core';
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
  { name, spec, guard }: BoundTool,
  { rule, expiresMs }: Asking,
  call: Pick<CallToApprove, 'place' | 'repetition' | 'arguments'>,
): CallToApprove => ({
  ...call,
  tool: name,
  parameters: JSON.stringify(spec.parameters).length > longestSchema ? { type: 'object' } : spec.parameters,
  rule,
  ...omitUndefined({ server: guard?.server, expiresMs }),
});

/** Maximum length of arguments that a person is asked about, in characters. */
const longestArguments = 100_000;

/** Returns why nobody can be asked about arguments; undefined if people can read exactly what is sent. */
export function unreadable(args: ToolArguments): string | undefined {
  if (JSON.stringify(args).length > longestArguments)
    return `its arguments have more than ${longestArguments.toLocaleString('en')} characters, which is too much for a person to approve`;
  return isReadable(args) ? undefined : 'its arguments contain what JSON cannot show, so nobody can approve them';
}

function isReadable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isReadable(key) && isReadable(inner));
}

const notMade = ({ name }: ToolCall, why: string): ToolAnswer => ({
  content: `Tool ${name} was not called: ${why}`,
  failed: true,
});

/** Returns the answer to a call that a policy denies. */
export const deniedAnswer = (call: ToolCall, { rule, reason }: Denying): ToolAnswer =>
  notMade(call, reason ?? `a rule does not allow it (${rule}).`);

/** Returns the answer to a call that nobody has approved. */
export function rejectedAnswer(
  call: ToolCall,
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
