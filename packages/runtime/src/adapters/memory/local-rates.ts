import type { ProviderLimits, RateGrant, RateRequest, Rates } from '../../ports/rates.ts';

/** A minute, and the tolerance for late callers. */
const minuteMs = 63_000;
/** Time after its last use at which a model is forgotten, in milliseconds. */
const forgetMs = 3_600_000;

interface Reservation {
  readonly who: string;
  at: number;
  tokens: number;
}

interface CallLog {
  /** Slots of the last minute and of the future, in order. */
  log: Reservation[];
  readonly waiting: Map<string, Reservation>;
  last: number;
  blockedUntil: number;
  learned: ProviderLimits;
  usedAt: number;
}

/** Creates the rate limits of models for one process, by a clock that never goes back; see rate-limit.lua, which does the same. */
export function createLocalRates(now: () => number): Rates {
  const lines = new Map<string, CallLog>();
  const receipts = new WeakMap<Reservation, string>();
  const lineOf = (model: string): CallLog => {
    const usedAt = now();
    for (const [name, line] of lines) {
      if (line.usedAt > usedAt - forgetMs) break;
      lines.delete(name);
    }
    const line = lines.get(model) ?? { log: [], waiting: new Map(), last: 0, blockedUntil: 0, learned: {}, usedAt };
    // In the order of their last use.
    lines.delete(model);
    lines.set(model, Object.assign(line, { usedAt }));
    return line;
  };
  let made = 0;
  const receiptOf = (place: Reservation): string => {
    const receipt = receipts.get(place) ?? String(++made);
    receipts.set(place, receipt);
    return receipt;
  };
  return {
    async acquire(model, ask) {
      const line = lineOf(model);
      const place = keptPlace(line, ask, now()) ?? newPlace(line, ask, now());
      if (place.at > now() || line.blockedUntil > now()) return waitFor(line, place, now());
      line.waiting.delete(ask.who);
      place.at = now();
      line.log.sort((a, b) => a.at - b.at);
      return { type: 'go', receipt: receiptOf(place) };
    },
    async correct(model, receipt, tokens) {
      const place = lineOf(model).log.find((each) => receipts.get(each) === receipt);
      if (place !== undefined) place.tokens = tokens;
    },
    async release(model, receipt) {
      const line = lineOf(model);
      line.log = line.log.filter((each) => receipts.get(each) !== receipt);
    },
    async learn(model, { retryAfterMs = 0, ...limits }) {
      const line = lineOf(model);
      line.blockedUntil = Math.max(line.blockedUntil, now() + retryAfterMs);
      line.learned = { ...line.learned, ...limits };
    },
  };
}

/** Returns the slot that was assigned before, unless the provider accepts no calls then. */
function keptPlace(line: CallLog, { who }: RateRequest, now: number): Reservation | undefined {
  const place = line.waiting.get(who);
  if (place === undefined || place.at >= line.blockedUntil || line.blockedUntil <= now) return place;
  line.waiting.delete(who);
  line.log = line.log.filter((each) => each !== place);
  return undefined;
}

function newPlace(line: CallLog, { who, tokens, ...limits }: RateRequest, now: number): Reservation {
  const least = (a = Number.POSITIVE_INFINITY, b = Number.POSITIVE_INFINITY) => Math.min(a, b);
  const requests = least(limits.requestsPerMinute, line.learned.requestsPerMinute);
  const limit = least(limits.tokensPerMinute, line.learned.tokensPerMinute);
  let at = Math.max(now, line.last, line.blockedUntil);
  let log = line.log.filter((place) => place.at > at - minuteMs);
  const isFull = () => log.length >= requests || log.reduce((sum, each) => sum + each.tokens, tokens) > limit;
  for (let oldest = log[0]; oldest !== undefined && isFull(); oldest = log[0]) {
    at = Math.max(at, oldest.at + minuteMs);
    log = log.slice(1);
  }
  const place = { who, at, tokens };
  line.log = [...log, place];
  line.last = at;
  // Callers that did not return, such as runs that were cancelled.
  for (const [who, { at: slot }] of line.waiting) if (slot <= now - minuteMs) line.waiting.delete(who);
  return place;
}

function waitFor(line: CallLog, place: Reservation, now: number): RateGrant {
  line.waiting.set(place.who, place);
  return { type: 'wait', ms: Math.max(place.at, line.blockedUntil) - now, waiting: line.waiting.size };
}
