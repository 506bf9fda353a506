import type { QueuedDelivery } from '@millrace/api';
import type { Event, JournalEntry, MessageRef, Origin, RunId, WebhookEvent } from '@millrace/core';
import { carriedData, omitUndefined, tenantOf, testEvent, textOf, withoutTenant } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { createTenantRuntime, deliveryTime } from '@millrace/runtime';

/** An event of a run for webhooks. */
export interface WebhookRunEvent {
  readonly type: WebhookEvent;
  readonly origin: Origin;
  readonly entry: JournalEntry;
}

/** Parts that events are read from. */
export type PayloadSources = Pick<Runtime, 'runs' | 'store'>;

/** Maximum number of characters of an output in an event; receivers fetch longer ones. */
const outputLimit = 65_536;

/**
 * Returns the event of a journal entry; undefined if the run does not exist any more, or if the entry is not an event
 * for webhooks.
 */
export async function readWebhookEvent(
  sources: PayloadSources,
  run: RunId,
  id: string,
): Promise<WebhookRunEvent | undefined> {
  const [[entry], open] = await Promise.all([
    sources.store.journal(run, placeBefore(id), 1),
    sources.runs.refresh(run),
  ]);
  const origin = open?.state.get('origin');
  if (entry?.id !== id || origin === undefined) return undefined;
  const type = typeOf(entry.event);
  return type === undefined ? undefined : { type, origin, entry };
}

/** Returns the id of the position before an entry; entries of one commit are numbered from 0. */
function placeBefore(id: string): string {
  const [version = 0, n = 0] = id.split('-').map(Number);
  return n > 0 ? `${version}-${n - 1}` : `${version - 1}-${Number.MAX_SAFE_INTEGER}`;
}

function typeOf(event: Event): WebhookEvent | undefined {
  if (event.type === 'run.finished') return `run.${event.status}`;
  return event.type === 'activation.suspended' ? 'task.created' : undefined;
}

/** Returns the id of an event, which is the same for all webhooks and attempts. */
export const eventId = (run: RunId, entry: string): string => `${withoutTenant(run)}_${entry}`;

/** Returns the event as JSON of CloudEvents 1.0. It derives from the journal, so it is always the same. */
export async function cloudEvent(sources: PayloadSources, run: RunId, event: WebhookRunEvent): Promise<string> {
  const { type, origin, entry } = event;
  const name = withoutTenant(run);
  const { workflow, tags = [] } = origin;
  return JSON.stringify({
    specversion: '1.0',
    id: eventId(run, entry.id),
    source: `/millrace/${tenantOf(run)}`,
    type: `dev.millrace.${type}`,
    subject: name,
    time: new Date(entry.at).toISOString(),
    datacontenttype: 'application/json',
    data: { runId: name, workflow, tags, ...(await factsOf(sources, run, entry)) },
  });
}

/** Returns the event that tries a webhook out. */
export function testPayload({ tenant, webhook, run, entry, delivery }: QueuedDelivery): string {
  return JSON.stringify({
    specversion: '1.0',
    id: eventId(run, entry),
    source: `/millrace/${tenant}`,
    type: `dev.millrace.${testEvent}`,
    subject: webhook,
    time: new Date(deliveryTime(delivery)).toISOString(),
    datacontenttype: 'application/json',
    data: { webhookId: webhook },
  });
}

async function factsOf(sources: PayloadSources, run: RunId, { id, event }: JournalEntry): Promise<object> {
  if (event.type === 'run.finished') {
    const { status, output, error, stop } = event;
    return {
      status,
      ...(output === undefined ? { output: null } : await outputOf(sources, run, output)),
      error: error === undefined ? null : { code: error.code, message: error.message, node: error.node ?? null },
      stop: stop === undefined ? null : { code: stop.code, text: stop.text },
    };
  }
  if (event.type !== 'activation.suspended') return {};
  const { activation, wait } = event;
  const { kind, prompt, input } = wait;
  return { taskId: `${withoutTenant(run)}.${activation}`, ...(await nodeOf(sources, run, id)), kind, prompt, input };
}

/** Returns the node that asks, with its type, its unit and its turn. */
async function nodeOf(sources: PayloadSources, run: RunId, id: string): Promise<object> {
  const tenantRuntime = createTenantRuntime(sources, tenantOf(run));
  const [entry] = await tenantRuntime.run(withoutTenant(run)).readEvents(placeBefore(id), 1);
  if (entry?.event.type !== 'activation.suspended') return { node: null };
  const { nodeId, nodeType, graph, unit, iteration } = entry.event;
  return omitUndefined({ node: nodeId, nodeType, graph, unit, iteration });
}

async function outputOf({ runs }: PayloadSources, run: RunId, ref: MessageRef): Promise<object> {
  const [message = { content: '' }] = await runs.messages(run, [ref]);
  const text = textOf(message);
  const data = carriedData(message);
  const length = text.length + (data === undefined ? 0 : JSON.stringify(data).length);
  if (length > outputLimit) return { output: null, outputTooLong: true };
  return omitUndefined({ output: text, data });
}
