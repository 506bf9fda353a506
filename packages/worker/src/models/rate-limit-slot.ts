import { createHash } from 'node:crypto';
import type { ChatRequest, Plan, RateLimit, RunId, Sleep } from '@millrace/core';
import { omitUndefined, rateLimitOf, tenantOf } from '@millrace/core';
import { AttemptPostponed } from '../context/interrupted.ts';
import type { WorkerContext } from '../context/worker-context.ts';

/** Maximum time that an activation waits in its worker; it is postponed if the wait is longer. */
export const maxSlotWaitMs = 1000;

/** A slot of the rate limits of a model. */
export interface RateLimitSlot {
  /** Waits until the call has a slot, or postpones its activation. The name of the call is the same on every attempt. */
  acquire(callKey: string): Promise<void>;
  /** Reports what the call has used. */
  reportUsage(tokens: number): void;
  /** Reports the limits that the provider has named. */
  reportLimits(limits: {
    readonly retryAfterMs?: number;
    readonly requestsPerMinute?: number;
    readonly tokensPerMinute?: number;
  }): void;
}

type AskedModel = Pick<ChatRequest, 'provider' | 'model' | 'baseUrl' | 'apiKey' | 'rateLimit'>;

/** The node that makes a call, in a graph that its plan calls by this key. */
export interface ModelCallSite {
  readonly run: RunId;
  readonly graph: string;
  readonly node: string;
}

interface SlotRequest {
  /** With the key of the API as it is used. */
  readonly asked: AskedModel;
  /** Tokens that the call will likely come to. */
  readonly tokens: number;
  readonly plan: Plan;
  readonly place: ModelCallSite;
  readonly signal: AbortSignal;
  readonly sleep: Sleep;
}

/** A queue in which a call waits for a slot. */
interface RateLimitQueue {
  readonly name: string;
  readonly limit: RateLimit;
}

/** A queue in which the call has a slot. */
interface AcquiredSlot extends RateLimitQueue {
  readonly receipt: string;
}

/**
 * Returns the slot of one call, which queues with all calls of the same model with the same key. A workflow or node with
 * its own limits has its own queues before that, so that no other calls wait behind its calls.
 */
export function rateLimitSlotFor(
  worker: WorkerContext,
  { asked, tokens, plan, place, signal, sleep }: SlotRequest,
): RateLimitSlot {
  const { rates } = worker.runs;
  const model = lineOf(asked);
  const shared = { name: model, limit: rateLimitOf(asked, worker.rateLimits) };
  const lines = [...ownLines(asked, plan, place), shared];
  let passed: readonly AcquiredSlot[] = [];
  const logFailure = (report: Promise<void>) => {
    report.catch((error: unknown) =>
      worker.log.warn({ err: error }, 'the limits of a model could not be kept up to date'),
    );
  };
  /** Acquires a slot in one queue after the other; gives all of them back at the first queue without a free slot. */
  async function pass(callKey: string): Promise<{ readonly ms: number; readonly waiting: number } | undefined> {
    const sofar: AcquiredSlot[] = [];
    for (const line of lines) {
      const slot = await rates.acquire(line.name, { who: callKey, tokens, ...perMinute(line.limit) });
      if (slot.type === 'wait') {
        for (const { name, receipt } of sofar) await rates.release(name, receipt);
        return slot;
      }
      sofar.push({ ...line, receipt: slot.receipt });
    }
    passed = sofar;
    return undefined;
  }
  return {
    async acquire(callKey) {
      for (;;) {
        const wait = await pass(callKey);
        if (wait === undefined) return;
        if (wait.ms > maxSlotWaitMs)
          throw new AttemptPostponed(worker.runs.now() + wait.ms + spread(callKey, wait.waiting));
        await sleep(wait.ms, signal);
      }
    },
    reportUsage(spent) {
      for (const { name, receipt } of passed) logFailure(rates.correct(name, receipt, spent));
    },
    reportLimits: (limits) => logFailure(rates.learn(model, limits)),
  };
}

function ownLines(asked: AskedModel, plan: Plan, { run, graph, node }: ModelCallSite): readonly RateLimitQueue[] {
  const owner = [tenantOf(run), plan.graphs.get('')?.id];
  const ofWorkflow = { name: lineOf(asked, owner), limit: rateLimitOf(asked, plan.rateLimits ?? []) };
  const ofNode = { name: lineOf(asked, [...owner, graph, node]), limit: asked.rateLimit ?? {} };
  return [ofWorkflow, ofNode].filter(({ limit }) => Object.keys(limit).length > 0);
}

const perMinute = ({ requests_per_minute, tokens_per_minute }: RateLimit) =>
  omitUndefined({ requestsPerMinute: requests_per_minute, tokensPerMinute: tokens_per_minute });

/** Names a queue, of all callers or of an owner, without revealing the key. */
const lineOf = (
  { provider, model, baseUrl = '', apiKey = '' }: AskedModel,
  owner: readonly (string | undefined)[] = [],
): string =>
  digest(JSON.stringify([provider, model, baseUrl, apiKey, ...owner]))
    .toString('hex')
    .slice(0, 24);

/** Returns a delay that spreads callers that wait for the same moment; always the same for one caller. */
const spread = (callKey: string, waiting: number): number =>
  (digest(callKey).readUInt32BE() % 1000) * Math.min(1 + waiting / 50, 5);

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
