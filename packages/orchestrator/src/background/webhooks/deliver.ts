import type { QueuedDelivery, SecretOfWebhook } from '@millrace/api';
import { startDeadline } from '@millrace/catalog';
import { omitUndefined, ownWebhook, RequestError } from '@millrace/core';
import type { DeliveryAttempt, JobAttempt } from '@millrace/runtime';
import { createWebhooks } from '@millrace/runtime';
import { Webhook as Signature } from 'standardwebhooks';
import type { DeliveryLanes } from './delivery-lanes.ts';
import type { PayloadSources, WebhookRunEvent } from './webhook-event.ts';
import { readWebhookEvent, testEventId } from './webhook-event.ts';
import { cloudEvent, testPayload } from './webhook-payload.ts';

/** Parts that deliveries need. */
export interface DeliveryContext {
  readonly sources: PayloadSources;
  readonly secretOfWebhook: SecretOfWebhook;
  /** Returns a `fetch` that reaches only the destinations that webhooks of the tenant may reach. */
  readonly fetchFor: (tenant: string) => typeof fetch;
  readonly lanes: DeliveryLanes;
}

/** Time limit of a receiver's answer, in milliseconds. */
const responseTimeoutMs = 15_000;

/** Makes one attempt of a delivery; later, if its receiver is busy. Throws if the delivery must be retried. */
export async function deliver(context: DeliveryContext, delivery: QueuedDelivery, attempt: JobAttempt): Promise<void> {
  const { sources } = context;
  const deliveries = createWebhooks(sources.store, delivery.tenant).deliveries(delivery.webhook);
  const content = await contentOf(sources, delivery);
  if (content === undefined) return deliveries.update(delivery.delivery, { state: 'gone' });
  const { receiver } = content;
  const entry = context.lanes.enter(delivery.tenant, receiver.url);
  if (entry.type === 'full') return attempt.postpone(entry.awayMs);
  const at = sources.store.now();
  const began = performance.now();
  const posting = post(context, { delivery, content, at, signal: attempt.signal });
  const answer = await posting.finally(entry.leave);
  // The process stops and the outcome is unknown: another process repeats the delivery, and this attempt does not
  // count.
  if (answer.type === 'refused' && answer.status === undefined && attempt.signal.aborted) return attempt.postpone(0);
  const tookMs = Math.round(performance.now() - began);
  const state =
    answer.type === 'taken' ? 'delivered' : attempt.isLast || answer.type === 'final' ? 'failed' : 'pending';
  const { status, error } = answer;
  const tried: DeliveryAttempt = omitUndefined({ at, tookMs, status, error });
  await deliveries.update(delivery.delivery, { state, attempt: tried });
  if (state === 'pending') throw new Error(`${delivery.webhook} was not notified: ${error}`);
}

interface Receiver {
  readonly url: string;
  /** Seal of its secret; absent: any. */
  readonly seal?: string;
}

/** Message, and its receivers. */
interface DeliveryContent {
  /** Id of the event. */
  readonly id: string;
  readonly receiver: Receiver;
  readonly body: () => Promise<string>;
}

/** Returns what a delivery sends; undefined if its event or its webhook no longer exists. */
async function contentOf(sources: PayloadSources, delivery: QueuedDelivery): Promise<DeliveryContent | undefined> {
  if (delivery.isTest === true) {
    const receiver = await receiverOf(sources, delivery, undefined);
    return receiver && { id: testEventId(delivery.run), receiver, body: async () => testPayload(delivery) };
  }
  const event = await readWebhookEvent(sources, delivery.run, delivery.entry);
  const receiver = event && (await receiverOf(sources, delivery, event));
  if (event === undefined || receiver === undefined) return undefined;
  return {
    id: event.id,
    receiver,
    body: () => cloudEvent(sources, delivery.run, event),
  };
}

async function receiverOf(
  { store }: PayloadSources,
  { tenant, webhook }: QueuedDelivery,
  event: WebhookRunEvent | undefined,
): Promise<Receiver | undefined> {
  if (webhook === ownWebhook) return event?.origin.webhook;
  try {
    return await createWebhooks(store, tenant).find(webhook);
  } catch (error) {
    if (error instanceof RequestError && error.code === 'WEBHOOK_UNKNOWN') return undefined;
    throw error;
  }
}

/** Answer of a receiver. `final`: it accepts no further attempts. */
interface DeliveryResult {
  readonly type: 'taken' | 'refused' | 'final';
  readonly status?: number;
  readonly error?: string;
}

interface DeliveryRequest {
  readonly delivery: QueuedDelivery;
  readonly content: DeliveryContent;
  readonly at: number;
  readonly signal: AbortSignal;
}

async function post(
  context: DeliveryContext,
  { delivery, content: { id, receiver, body: read }, at, signal }: DeliveryRequest,
): Promise<DeliveryResult> {
  const deadline = startDeadline(responseTimeoutMs, signal);
  try {
    const { secret, seal } = await context.secretOfWebhook(delivery.tenant, delivery.webhook);
    if (receiver.seal !== undefined && receiver.seal !== seal) return { type: 'refused', error: otherSecret };
    const body = await read();
    const response = await context.fetchFor(delivery.tenant)(receiver.url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/cloudevents+json; charset=utf-8',
        'user-agent': 'millrace',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at / 1000)),
        'webhook-signature': new Signature(secret).sign(id, new Date(at), body),
      },
      body,
      signal: deadline.signal,
    });
    await response.body?.cancel();
    const { status } = response;
    if (response.ok) return { type: 'taken', status };
    return { type: status === 410 ? 'final' : 'refused', status, error: `It answered ${status}.` };
  } catch (error) {
    return { type: 'refused', error: reasonOf(error) };
  } finally {
    deadline.clear();
  }
}

const otherSecret =
  'This process has another MILLRACE_SECRET than the one that made the webhook. Give all of them the same.';

/** Returns the reason without the URL, which may contain a password. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `It did not answer within ${responseTimeoutMs / 1000} seconds.`;
  return error.cause instanceof Error ? error.cause.message : error.message;
}
