import { createHash } from 'node:crypto';
import type { ChatRequest, Plan, RateLimit } from '@millrace/core';
import { rateLimitOf } from '@millrace/core';
import type { Crew } from '../crew.ts';
import { pause } from './pause.ts';
import { Postponed } from './postponed.ts';

/** A worker keeps no activation in hand that has to wait longer than this. */
export const longestWaitMs = 1000;

/** Whose turn it is to ask a model, and what becomes of it. */
export interface Turn {
  /** Waits until it is the turn of this call, whose name is the same on every attempt; or has it postponed. */
  take(who: string): Promise<void>;
  /** Tells what the call has come to. */
  correct(tokens: number): void;
  /** Tells what the provider said of its limits. */
  learn(news: {
    readonly pauseMs?: number;
    readonly requestsPerMinute?: number;
    readonly tokensPerMinute?: number;
  }): void;
}

type AskedModel = Pick<ChatRequest, 'provider' | 'model' | 'baseUrl' | 'apiKey'>;

interface Asking {
  /** With the key of the API as it is used. */
  readonly asked: AskedModel;
  /** Tokens that the call will likely come to. */
  readonly tokens: number;
  readonly plan: Plan;
  readonly signal: AbortSignal;
}

/** The turn of one call, in line with all others that ask the same model with the same key. */
export function turnOf(crew: Crew, { asked, tokens, plan, signal }: Asking): Turn {
  const { rates } = crew.runs;
  const model = lineOf(asked);
  const limit = rateLimitOf(asked, [...(plan.rateLimits ?? []), ...crew.rateLimits]);
  let receipt: string | undefined;
  const heed = (told: Promise<void>) => {
    told.catch((error: unknown) => crew.log.warn({ err: error }, 'the limits of a model could not be kept up to date'));
  };
  return {
    async take(who) {
      for (;;) {
        const turn = await rates.turn(model, { who, tokens, ...perMinute(limit) });
        if (turn.type === 'go') {
          receipt = turn.receipt;
          return;
        }
        if (turn.ms > longestWaitMs) throw new Postponed(crew.runs.now() + turn.ms + spread(who, turn.waiting));
        await pause(turn.ms, signal);
      }
    },
    correct(spent) {
      if (receipt !== undefined) heed(rates.correct(model, receipt, spent));
    },
    learn: (news) => heed(rates.learn(model, news)),
  };
}

const perMinute = ({ requests_per_minute, tokens_per_minute }: RateLimit) => ({
  ...(requests_per_minute === undefined ? {} : { requestsPerMinute: requests_per_minute }),
  ...(tokens_per_minute === undefined ? {} : { tokensPerMinute: tokens_per_minute }),
});

/** Names a line without saying whose key it is. */
const lineOf = ({ provider, model, baseUrl = '', apiKey = '' }: AskedModel): string =>
  digest(JSON.stringify([provider, model, baseUrl, apiKey]))
    .toString('hex')
    .slice(0, 24);

/** Milliseconds by which those who wait for the same moment come one after the other; always the same for one of them. */
const spread = (who: string, waiting: number): number =>
  (digest(who).readUInt32BE() % 1000) * Math.min(1 + waiting / 50, 5);

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
