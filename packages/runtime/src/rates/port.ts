/** A request that is to be made of a model. */
export interface RateRequest {
  /** Name of the caller. Asking again under this name keeps the place in the line. */
  readonly who: string;
  /** Tokens that it may come to. */
  readonly tokens: number;
  /** How many requests and tokens there may be in any minute; absent: as many as one likes. */
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
}

/** Answer to a rate request. */
export type RateGrant =
  /** The request may be made; `receipt` names it when its tokens are known. */
  | { readonly type: 'go'; readonly receipt: string }
  /** Its turn comes after so many milliseconds; `waiting` others have a place in the line. */
  | { readonly type: 'wait'; readonly ms: number; readonly waiting: number };

/** Limits that a provider has reported. */
export interface ProviderLimits {
  /** Nobody should ask for so many milliseconds. */
  readonly pauseMs?: number;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
}

/**
 * How often models are asked, by all workers together. Each model has a line: who has to wait gets a time, comes back
 * then, and is let through, so nobody waits in vain and all come in the order in which they asked. In no minute, from
 * whichever moment it is counted, are there more requests and tokens than the limits say.
 */
export interface Rates {
  /** Asks whether it is one's turn; `model` names what the limits are for. */
  turn(model: string, ask: RateRequest): Promise<RateGrant>;
  /** Tells how many tokens a request has really come to. */
  correct(model: string, receipt: string, tokens: number): Promise<void>;
  /** Gives a request back that is not made after all. */
  release(model: string, receipt: string): Promise<void>;
  /** Takes what a provider said into account, for everybody. What it said of limits is forgotten in time. */
  learn(model: string, news: ProviderLimits): Promise<void>;
}
