import type { Task } from '@millrace/client';
import { exactJson, exactText } from '@millrace/core/visible-text';

type Approval = NonNullable<Task['approval']>;

/** Returns a question in one line: for one about a call of a tool, the call. */
export const askedText = ({ prompt, approval }: Pick<Task, 'prompt' | 'approval'>): string =>
  approval === undefined ? prompt : `May it call ${exactText(approval.tool)} with ${exactText(approval.arguments)}?`;

/** Returns the exact call that a question is about, and the rule that asks, on several lines. */
export function callText({ tool, server, arguments: written, rule, expiresAt }: Approval): string {
  return [
    `${exactText(tool)}${server === undefined ? '' : ` of ${exactText(server)}`}`,
    exactJson(written),
    `Rule: ${exactText(rule)}`,
    ...(expiresAt === undefined ? [] : [`Counts as rejected at ${new Date(expiresAt).toISOString()}`]),
  ].join('\n');
}

/** Returns the command that answers an open question from another terminal. */
export function answerCommand({ id, approval, schema }: Pick<Task, 'id' | 'approval' | 'schema'>): string {
  if (approval !== undefined) return `millrace answer ${id} --approve | --reject "…" | --arguments '{…}'`;
  return schema === undefined ? `millrace answer ${id} "…"` : `millrace answer ${id} --data '{…}'`;
}
