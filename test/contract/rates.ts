import type { RateRequest, Rates } from '@millrace/runtime';
import { beforeEach, describe, expect, it } from 'vitest';

/** Two processes that ask for the same models, and a way to let time pass, if there is one. */
export interface RatesFixture {
  readonly rates: Rates;
  readonly other: Rates;
}

/** Defines the contract tests that every implementation of rates, the queues in front of models, must pass. */
export function ratesContract(name: string, open: () => Promise<RatesFixture>): void {
  describe(`the contract of rates: ${name}`, () => {
    let rates: Rates;
    let other: Rates;
    let asked = 0;

    beforeEach(async () => {
      ({ rates, other } = await open());
    });

    const ask = (limits: Partial<RateRequest> = {}): RateRequest => ({
      who: `run_1.a${++asked}.0`,
      tokens: 10,
      ...limits,
    });
    const waits = async (at: Rates, limits: Partial<RateRequest>): Promise<number> => {
      const turn = await at.turn('m', ask(limits));
      return turn.type === 'go' ? 0 : turn.ms;
    };

    it('admits every request without limits', async () => {
      for (let n = 0; n < 100; n++) expect((await rates.turn('m', ask())).type).toBe('go');
    });

    it('admits as many requests in a minute as the limit, of all processes together', async () => {
      const limits = { requestsPerMinute: 4 };
      const turns = await Promise.all(
        [rates, other, rates, other, rates, other].map((each) => each.turn('m', ask(limits))),
      );

      expect(turns.map(({ type }) => type).sort()).toEqual(['go', 'go', 'go', 'go', 'wait', 'wait']);
      expect((await other.turn('n', ask(limits))).type).toBe('go');
    });

    it('returns a request that is not made', async () => {
      const limits = { requestsPerMinute: 1 };
      const turn = await rates.turn('m', ask(limits));
      await other.release('m', turn.type === 'go' ? turn.receipt : '');

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
      await rates.turn('m', ask(limits));
      const first = await rates.turn('m', second);
      await waits(rates, limits);

      const again = await other.turn('m', second);

      expect(first.type === 'wait' && again.type === 'wait' && Math.abs(first.ms - again.ms) < 2000).toBe(true);
    });

    it('counts tokens, and returns unused ones', async () => {
      const limits = { tokens: 400, tokensPerMinute: 1000 };
      const turn = await rates.turn('m', ask(limits));
      await rates.turn('m', ask(limits));
      if (turn.type !== 'go') throw new Error('the first one had to wait');

      await other.correct('m', turn.receipt, 100);

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
      expect((await other.turn('n', ask())).type).toBe('go');
    });

    it('moves waiting requests behind the pause', async () => {
      const limits = { requestsPerMinute: 1 };
      const waiting = ask(limits);
      await rates.turn('m', ask(limits));
      await rates.turn('m', waiting);

      await other.learn('m', { retryAfterMs: 200_000 });

      const turn = await rates.turn('m', waiting);
      expect(turn.type === 'wait' && turn.ms > 190_000).toBe(true);
    });

    it('obeys the limit that a provider reports', async () => {
      await rates.learn('m', { requestsPerMinute: 1 });

      expect(await waits(other, { requestsPerMinute: 100 })).toBe(0);
      expect(await waits(other, { requestsPerMinute: 100 })).toBeGreaterThan(55_000);
    });

    it('continues after the pause', async () => {
      const asking = ask();
      await rates.learn('m', { retryAfterMs: 50 });
      let turn = await rates.turn('m', asking);
      while (turn.type === 'wait') {
        const { ms } = turn;
        await new Promise((resolve) => setTimeout(resolve, ms));
        turn = await other.turn('m', asking);
      }

      expect(turn.type).toBe('go');
    });
  });
}
