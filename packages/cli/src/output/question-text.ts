import type { Task } from '@millrace/client';
import { visibleJson, visibleName } from './terminal/visible-text.ts';

type Approval = NonNullable<Task['approval']>;

/** Returns a question in one line: for one about a call of a tool, the call. */
export const askedText = ({ prompt, approval }: Pick<Task, 'prompt' | 'approval'>): string =>
  approval === undefined ? prompt : `May it call ${approval.tool} with ${visibleJson(approval.arguments)}?`;

/** Returns the exact call that a question is about, and the rule that asks, on several lines. */
export function callText({ tool, server, arguments: written, rule, expiresAt }: Approval): string {
  return [
    `${visibleName(tool)}${server === undefined ? '' : ` of ${visibleName(server)}`}`,
    visibleJson(JSON.stringify(JSON.parse(written), undefined, 2)),
    `Rule: ${rule}`,
    ...(expiresAt === undefined ? [] : [`Counts as rejected at ${new Date(expiresAt).toISOString()}`]),
  ].join('\n');
}

/** Returns the command that answers an open question from another terminal. */
export function answerCommand({ id, approval, schema }: Pick<Task, 'id' | 'approval' | 'schema'>): string {
  if (approval !== undefined) return `millrace answer ${id} --approve | --reject "…" | --arguments '{…}'`;
  return schema === undefined ? `millrace answer ${id} "…"` : `millrace answer ${id} --data '{…}'`;
}
