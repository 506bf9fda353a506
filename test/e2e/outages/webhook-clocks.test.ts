import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { skewedAndStopped, skewedBy } from '../../support/faults/skewed.ts';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { ask } from '../../support/http/http.ts';
import { startWebhookReceiver } from '../../support/http/webhook-receiver.ts';
import type { RunningCommand } from '../../support/processes/millrace.ts';
import { startMillrace } from '../../support/processes/millrace.ts';
import { newInstallation } from '../../support/redis/installation.ts';

const question =
  'graph:\n  id: question\n  nodes:\n    - { id: Ask, type: human, config: { description: What shall it be? } }\n';
const minutes = 60_000;
const delayMs = 400;
/** BullMQ shortens a rest by a fifth of it at most, so that retries spread. */
const shortest = delayMs * 0.8 - 50;

const redis = newInstallation();
const directory = directoryBeforeAll();

function promised(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Waits until the log of deliveries has a failed try. */
async function failedTry(url: string): Promise<void> {
  const { body } = await ask(`${url}/v1/webhooks`);
  const [webhook] = body['data'] as { readonly id: string }[]; // the contract's
  for (;;) {
    const { body: log } = await ask(`${url}/v1/webhooks/${webhook?.id}/deliveries`);
    if (JSON.stringify(log).includes('"status":500')) return;
    await sleep(20);
  }
}

/** An installation of processes with clocks of their own, and a receiver that answers every delivery with 500. */
async function installation(onTestFinished: (close: () => Promise<void>) => void) {
  const prefix = `clocks-${randomUUID()}`;
  const start = (skew: Readonly<Record<string, string>>): RunningCommand => {
    const settings = {
      MILLRACE_DIR: directory,
      MILLRACE_OUTBOUND_ALLOW: 'loopback',
      MILLRACE_WEBHOOK_REST_MS: `${delayMs}`,
    };
    const env = { REDIS_URL: redis.url, MILLRACE_PREFIX: prefix, ...settings, ...skew };
    const running = startMillrace(['serve', '--port', '0'], { env });
    onTestFinished(async () => {
      await running.stop('SIGKILL');
    });
    return running;
  };
  const served = async (running: RunningCommand) => {
    const [, url = ''] = await running.says(/HTTP API is at (\S+)/);
    return { running, url };
  };
  const deliveredAt: number[] = [];
  const { promise: refusal, resolve: refuse } = promised();
  const receiver = await startWebhookReceiver(async () => {
    deliveredAt.push(performance.now());
    if (deliveredAt.length === 1) await refusal;
    return 500;
  });
  onTestFinished(() => receiver.close());
  return {
    serve: (skewMs: number) => served(start(skewedBy(skewMs))),
    /** Starts a server that takes no work before it is let go: a first try does not wait for the start of a process. */
    async prepare(skewMs: number) {
      const running = start(skewedAndStopped(skewMs));
      await running.says(/stopped before the first connection/);
      return async () => {
        running.signal('SIGCONT');
        return served(running);
      };
    },
    /** Cancels a run, which is delivered to the receiver; no worker is needed for that. */
    async begin(url: string) {
      await ask(`${url}/v1/webhooks`, { url: `${receiver.url}/hook` });
      const { body } = await ask(`${url}/v1/runs`, { workflow: { yaml: question } });
      await ask(`${url}/v1/runs/${String(body['runId'])}/cancel`, {});
    },
    firstTry: () => receiver.until('/hook', 1),
    /** Ends the first try, and returns the milliseconds from there to the next tries. */
    async rests(count: number) {
      deliveredAt[0] = performance.now();
      refuse();
      await receiver.until('/hook', count + 1);
      return deliveredAt.slice(1, count + 1).map((at, index) => at - (deliveredAt[index] ?? 0));
    },
  };
}

describe('retries of a webhook follow the clock of Redis', () => {
  it.for<readonly [string, number, number]>([
    ['ahead', 0, 10 * minutes],
    ['right, and that of the first server is behind', -10 * minutes, 0],
  ])('when the clock of another server is %s', { timeout: 120_000 }, async ([, first, other], { onTestFinished }) => {
    const { serve, prepare, begin, firstTry, rests } = await installation(onTestFinished);
    const { url } = await serve(first);
    const letGo = await prepare(other);
    await begin(url);
    await firstTry();
    await letGo();

    const [second = 0, third = 0] = await rests(2);

    expect(second).toBeGreaterThan(shortest);
    expect(third).toBeGreaterThan(2 * shortest);
  });

  it('when a server whose clock is ahead has made the first attempt, and dies', async ({ onTestFinished }) => {
    const { serve, prepare, begin, firstTry, rests } = await installation(onTestFinished);
    const ahead = await serve(10 * minutes);
    const letGo = await prepare(0);
    await begin(ahead.url);
    await firstTry();
    const right = await letGo();
    const second = rests(1);
    await failedTry(right.url);
    ahead.running.signal('SIGKILL');

    expect((await second)[0]).toBeGreaterThan(shortest);
  }, 120_000);
});
