import type { Task, TaskAnswer } from '@millrace/client';
import { inexactNumber } from '@millrace/core/exact-numbers';
import { exactText } from '@millrace/core/visible-text';
import { callText } from '../output/question-text.ts';
import type { Terminal } from '../output/terminal/terminal.ts';

/** Question about the call of a tool. */
interface ApprovalTask extends Task {
  readonly approval: NonNullable<Task['approval']>;
}

/** Returns whether a question is about the call of a tool. */
export const asksForApproval = (task: Task): task is ApprovalTask => task.approval !== undefined;

const question = 'Approve it? yes, no, "no, because …", or other arguments as a JSON object:';

/** Shows a call of a tool and asks for the decision on it; returns undefined if the person declines. */
export async function promptApproval(
  terminal: Terminal,
  { approval, node }: ApprovalTask,
  signal: AbortSignal,
): Promise<TaskAnswer | undefined> {
  await terminal.note(callText(approval), `${node} asks to call ${exactText(approval.tool)}`);
  for (;;) {
    const text = await terminal.ask(question, signal);
    if (text === undefined) return undefined;
    const decision = decisionIn(text.trim());
    // The hash says which call the person has read.
    if (decision !== undefined) return { data: { ...decision, hash: approval.hash } };
    const inexact = inexactNumber(text);
    terminal.say(
      inexact === undefined
        ? `"${text}" is no decision.`
        : `The number ${inexact} cannot be sent exactly. Write it as a text.`,
    );
  }
}

/** Returns the decision that a person has written; undefined if it is none. */
function decisionIn(text: string): Readonly<Record<string, unknown>> | undefined {
  if (/^(y|yes|approve)$/i.test(text)) return { decision: 'approve' };
  const refusal = /^(?:no?|reject)\b[\s,:;.–-]*(.*)$/is.exec(text);
  if (refusal !== null) return { decision: 'reject', ...(refusal[1] ? { reason: refusal[1] } : {}) };
  try {
    const args: unknown = JSON.parse(text);
    const isObject = typeof args === 'object' && args !== null && !Array.isArray(args);
    return isObject && inexactNumber(text) === undefined ? { decision: 'approve', arguments: args } : undefined;
  } catch {
    return undefined;
  }
}
