import { createHash } from 'node:crypto';
import type { Event, JournalEntry, Origin, RunId, WebhookEvent } from '@millrace/core';
import { omitUndefined, tenantOf, withoutTenant } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { createTenantRuntime } from '@millrace/runtime';

/** An event of a run for webhooks. */
export interface WebhookRunEvent {
  /**
   * The same for all webhooks and attempts. It derives from the run, the event and its cause, never from the event's
   * position in the journal: after a backup is restored, the run comes to the same event again, perhaps behind others.
   */
  readonly id: string;
  readonly type: WebhookEvent;
  readonly origin: Origin;
  readonly entry: JournalEntry;
  /** The node that asks, with its type, its unit and its turn; absent when the run has ended. */
  readonly names?: object;
}

/** Parts that events are read from. */
export type PayloadSources = Pick<Runtime, 'runs' | 'store'>;

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
  const startedAt = open?.state.get('run')?.startedAt;
  if (entry?.id !== id || origin === undefined || startedAt === undefined) return undefined;
  const type = typeOf(entry.event);
  if (type === undefined) return undefined;
  const names = type === 'task.created' ? { names: await namesOf(sources, run, id) } : {};
  const cause = { start: startOf(origin, startedAt), ...names, ...causeOf(entry.event) };
  return { id: eventId(run, { type, ...cause }), type, origin, entry, ...names };
}

/** Returns the id of the position before an entry; entries of one commit are numbered from 0. */
function placeBefore(id: string): string {
  const [version = 0, n = 0] = id.split('-').map(Number);
  return n > 0 ? `${version}-${n - 1}` : `${version - 1}-${Number.MAX_SAFE_INTEGER}`;
}

function typeOf(event: Event): WebhookEvent | undefined {
  if (event.type === 'run.finished') return `run.${event.status}`;
  return event.type === 'activation.suspended' || event.type === 'tool.asked' ? 'task.created' : undefined;
}

/** Returns the node that asks, with its type, its unit and its turn. */
async function namesOf(sources: PayloadSources, run: RunId, id: string): Promise<object> {
  const tenantRuntime = createTenantRuntime(sources, tenantOf(run));
  const [entry] = await tenantRuntime.run(withoutTenant(run)).readEvents(placeBefore(id), 1);
  if (entry?.event.type !== 'activation.suspended' && entry?.event.type !== 'tool.asked') return { node: null };
  const { nodeId, nodeType, graph, unit, iteration } = entry.event;
  return omitUndefined({ node: nodeId, nodeType, graph, unit, iteration });
}

const eventId = (run: RunId, identity: object): string =>
  `${withoutTenant(run)}_${createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 20)}`;

/** Returns the id of the event that tries a webhook out. */
export const testEventId = withoutTenant;

/**
 * Returns what identifies the start of a run among all starts under its id, which can be used again after the run was
 * removed. A run that was lost is started again as the same by its schedule, by its job of the intake queue, or by its row of a
 * batch.
 */
function startOf({ batch, startedBy }: Origin, startedAt: number): unknown {
  if (batch !== undefined) return batch.making;
  return startedBy === undefined || startedBy.type === 'mcp' ? startedAt : startedBy.of;
}

/**
 * Returns what identifies an event among those of its run and node: for an end, the resumption that it follows from; for a
 * question, its task, its number among the questions of the task, and what it asks.
 */
function causeOf(event: Event): object {
  if (event.type === 'run.finished') return omitUndefined({ resumed: event.resumed });
  if (event.type === 'tool.asked') return { activation: event.activation, hash: event.hash };
  if (event.type !== 'activation.suspended') return {};
  const { activation, suspension, wait } = event;
  const { kind, prompt, input } = wait;
  return omitUndefined({ activation, suspension, kind, prompt, input });
}
