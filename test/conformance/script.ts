/**
 * A recorded model's script for an engine that asks once. The recorded engine asked a second API whenever the first
 * one failed, so its scripts give every error twice; here each pair is one.
 */
export function askedOnce(script: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { rules } = script;
  if (!Array.isArray(rules)) return script;
  return {
    ...script,
    rules: rules.map((rule: Rule) => ({ ...rule, ...(rule.replies && { replies: thinned(rule.replies) }) })),
  };
}

interface Rule {
  readonly replies?: readonly unknown[];
}

function thinned(replies: readonly unknown[]): readonly unknown[] {
  const left: unknown[] = [];
  for (let at = 0; at < replies.length; at++) {
    left.push(replies[at]);
    if (isError(replies[at]) && JSON.stringify(replies[at]) === JSON.stringify(replies[at + 1])) at += 1;
  }
  return left;
}

const isError = (reply: unknown): boolean => typeof reply === 'object' && reply !== null && 'error' in reply;
