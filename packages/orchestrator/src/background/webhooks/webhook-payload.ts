import type { QueuedDelivery } from '@millrace/api';
import type { MessageRef, RunId } from '@millrace/core';
import {
  carriedData,
  omitUndefined,
  questionId,
  questionOf,
  tenantOf,
  testEvent,
  textOf,
  withoutTenant,
} from '@millrace/core';
import { deliveryTime } from '@millrace/runtime';
import type { PayloadSources, WebhookRunEvent } from './webhook-event.ts';
import { testEventId } from './webhook-event.ts';

/** Maximum number of characters of an output in an event; receivers fetch longer ones. */
const outputLimit = 65_536;

/** Returns the event as JSON of CloudEvents 1.0. It derives from the journal, so it is always the same. */
export async function cloudEvent(sources: PayloadSources, run: RunId, event: WebhookRunEvent): Promise<string> {
  const { id, type, origin, entry } = event;
  const name = withoutTenant(run);
  const { workflow, tags = [] } = origin;
  return JSON.stringify({
    specversion: '1.0',
    id,
    source: `/millrace/${tenantOf(run)}`,
    type: `dev.millrace.${type}`,
    subject: name,
    time: new Date(entry.at).toISOString(),
    datacontenttype: 'application/json',
    data: { runId: name, workflow, tags, ...(await factsOf(sources, run, event)) },
  });
}

/** Returns the event that tries a webhook out. */
export function testPayload({ tenant, webhook, run, delivery }: QueuedDelivery): string {
  return JSON.stringify({
    specversion: '1.0',
    id: testEventId(run),
    source: `/millrace/${tenant}`,
    type: `dev.millrace.${testEvent}`,
    subject: webhook,
    time: new Date(deliveryTime(delivery)).toISOString(),
    datacontenttype: 'application/json',
    data: { webhookId: webhook },
  });
}

async function factsOf(
  sources: PayloadSources,
  run: RunId,
  { entry: { event }, names }: WebhookRunEvent,
): Promise<object> {
  if (event.type === 'run.finished') {
    const { status, output, error, stop } = event;
    return {
      status,
      ...(output === undefined ? { output: null } : await outputOf(sources, run, output)),
      error: error === undefined ? null : { code: error.code, message: error.message, node: error.node ?? null },
      stop: stop === undefined ? null : { code: stop.code, text: stop.text },
    };
  }
  if (event.type === 'tool.asked') {
    const { tool, server, arguments: sent, rule, hash } = event;
    const taskId = questionId(withoutTenant(run), event);
    return { taskId, ...names, kind: 'approval', ...omitUndefined({ tool, server, arguments: sent, rule, hash }) };
  }
  if (event.type !== 'activation.suspended') return {};
  const { wait } = event;
  const { kind, prompt, input } = wait;
  return { taskId: questionId(withoutTenant(run), questionOf(event)), ...names, kind, prompt, input };
}

async function outputOf({ runs }: PayloadSources, run: RunId, ref: MessageRef): Promise<object> {
  const [message = { content: '' }] = await runs.messages(run, [ref]);
  const text = textOf(message);
  const data = carriedData(message);
  const length = text.length + (data === undefined ? 0 : JSON.stringify(data).length);
  if (length > outputLimit) return { output: null, outputTooLong: true };
  return omitUndefined({ output: text, data });
}
