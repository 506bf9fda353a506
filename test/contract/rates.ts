import type { RateRequest, Rates } from '@millrace/runtime';
import { beforeEach, describe, expect, it } from 'vitest';

/** Two processes that ask for the same models, and a way to set the clock of a line forward, or back. */
export interface RatesFixture {
  readonly rates: Rates;
  readonly other: Rates;
  moveClock(model: string, ms: number): Promise<void>;
}

/** Defines the contract tests that every implementation of rates, the queues in front of models, must pass. */
export function ratesContract(name: string, open: () => Promise<RatesFixture>): void {
  describe(`the contract of rates: ${name}`, () => {
    let rates: Rates;
    let other: Rates;
    let moveClock: RatesFixture['moveClock'];
    let asked = 0;

    beforeEach(async () => {
      ({ rates, other, moveClock } = await open());
    });

    const ask = (limits: Partial<RateRequest> = {}): RateRequest => ({
      who: `run_1.a${++asked}.0`,
      tokens: 10,
      ...limits,
    });
    const waits = async (at: Rates, limits: Partial<RateRequest>): Promise<number> => {
      const grant = await at.acquire('m', ask(limits));
      return grant.type === 'go' ? 0 : grant.ms;
    };

    it('admits every request without limits', async () => {
      for (let n = 0; n < 100; n++) expect((await rates.acquire('m', ask())).type).toBe('go');
    });

    it('admits as many requests in a minute as the limit, of all processes together', async () => {
      const limits = { requestsPerMinute: 4 };
      const grants = await Promise.all(
        [rates, other, rates, other, rates, other].map((each) => each.acquire('m', ask(limits))),
      );

      expect(grants.map(({ type }) => type).sort()).toEqual(['go', 'go', 'go', 'go', 'wait', 'wait']);
      expect((await other.acquire('n', ask(limits))).type).toBe('go');
    });

    it('returns a request that is not made', async () => {
      const limits = { requestsPerMinute: 1 };
      const grant = await rates.acquire('m', ask(limits));
      await other.release('m', grant.type === 'go' ? grant.receipt : '');

      expect(await waits(rates, limits)).toBe(0);
      expect(await waits(rates, limits)).toBeGreaterThan(0);
    });

    it('assigns a time to each waiting request, minute by minute', async () => {
      const limits = { requestsPerMinute: 2 };
      const waited: number[] = [];
      for (let n = 0; n < 6; n++) waited.push(await waits(n % 2 === 0 ? rates : other, limits));

      const minutes = waited.map((ms) => Math.ceil(ms / 63_000));
      expect(minutes).toEqual([0, 0, 1, 1, 2, 2]);
      expect(waited[2]).toBeGreaterThan(55_000);
    });

    it('keeps the place of a repeated request', async () => {
      const limits = { requestsPerMinute: 1 };
      const [, second] = [ask(limits), ask(limits)];
      await rates.acquire('m', ask(limits));
      const first = await rates.acquire('m', second);
      await waits(rates, limits);

      const again = await other.acquire('m', second);

      expect(first.type === 'wait' && again.type === 'wait' && Math.abs(first.ms - again.ms) < 2000).toBe(true);
    });

    it('counts tokens, and returns unused ones', async () => {
      const limits = { tokens: 400, tokensPerMinute: 1000 };
      const grant = await rates.acquire('m', ask(limits));
      await rates.acquire('m', ask(limits));
      if (grant.type !== 'go') throw new Error('the first one had to wait');

      await other.correct('m', grant.receipt, 100);

      expect(await waits(rates, limits)).toBe(0);
      expect(await waits(rates, limits)).toBeGreaterThan(0);
    });

    it('admits a request larger than the limit when it is the only one', async () => {
      const limits = { tokens: 5000, tokensPerMinute: 1000 };

      expect(await waits(rates, limits)).toBe(0);
      expect(await waits(rates, limits)).toBeGreaterThan(55_000);
    });

    it('delays all requests when a provider requests a pause', async () => {
      await rates.learn('m', { retryAfterMs: 30_000 });

      expect(await waits(other, {})).toBeGreaterThan(28_000);
      expect((await other.acquire('n', ask())).type).toBe('go');
    });

    it('moves waiting requests behind the pause', async () => {
      const limits = { requestsPerMinute: 1 };
      const waiting = ask(limits);
      await rates.acquire('m', ask(limits));
      await rates.acquire('m', waiting);

      await other.learn('m', { retryAfterMs: 200_000 });

      const grant = await rates.acquire('m', waiting);
      expect(grant.type === 'wait' && grant.ms > 190_000).toBe(true);
    });

    it('obeys the limit that a provider reports', async () => {
      await rates.learn('m', { requestsPerMinute: 1 });

      expect(await waits(other, { requestsPerMinute: 100 })).toBe(0);
      expect(await waits(other, { requestsPerMinute: 100 })).toBeGreaterThan(55_000);
    });

    it('does not count callers that did not return', async () => {
      const limits = { requestsPerMinute: 1 };
      for (let n = 0; n < 4; n++) await rates.acquire('m', ask(limits));
      await moveClock('m', 600_000);
      await rates.acquire('m', ask(limits));

      expect(await other.acquire('m', ask(limits))).toMatchObject({ type: 'wait', waiting: 1 });
    });

    it('does not wait for the difference when the clock is set back', async () => {
      const limits = { requestsPerMinute: 1 };
      const waiting = ask(limits);
      await rates.acquire('m', ask(limits));
      const before = await rates.acquire('m', waiting);
      await moveClock('m', -3_600_000);
      const after = await other.acquire('m', waiting);
      await rates.learn('m', { retryAfterMs: 70_000 });
      const paused = await other.acquire('m', waiting);

      const waitsOf = [before, after, paused].map((grant) => (grant.type === 'wait' ? grant.ms : 0));
      for (const [n, most] of [63_000, 63_000, 70_000].entries()) {
        expect(waitsOf[n]).toBeGreaterThan(most - 8000);
        expect(waitsOf[n]).toBeLessThanOrEqual(most);
      }
    });

    it('lets time pass after the clock was set back', async () => {
      const asking = ask();
      await rates.learn('m', { retryAfterMs: 50 });
      await rates.acquire('m', asking);
      await moveClock('m', -3_600_000);

      await expect.poll(async () => (await other.acquire('m', asking)).type, { interval: 10 }).toBe('go');
    });

    it('continues after the pause', async () => {
      const asking = ask();
      await rates.learn('m', { retryAfterMs: 50 });
      let grant = await rates.acquire('m', asking);
      while (grant.type === 'wait') {
        const { ms } = grant;
        await new Promise((resolve) => setTimeout(resolve, ms));
        grant = await other.acquire('m', asking);
      }

      expect(grant.type).toBe('go');
    });
  });
}
