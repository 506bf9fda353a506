/** A planned request to a model. */
export interface RateRequest {
  /** Name of the caller. Another request under this name keeps its slot. */
  readonly who: string;
  /** Estimated number of tokens. */
  readonly tokens: number;
  /** Maximum number of requests and tokens in any minute; absent: unlimited. */
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
}

/** Answer to a rate request. */
export type RateGrant =
  /** The request may be sent; `receipt` identifies it when its tokens are known. */
  | { readonly type: 'go'; readonly receipt: string }
  /** The caller has to wait for so many milliseconds; `waiting` other callers have a slot. */
  | { readonly type: 'wait'; readonly ms: number; readonly waiting: number };

/** Limits that a provider has reported. */
export interface ProviderLimits {
  /** Time for which no request may be sent, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
}

/**
 * Rate limits of models, for all workers together. Each model has a line: a caller that has to wait gets a time,
 * returns then, and is admitted, so no caller waits without effect and all are admitted in the order of their first requests.
 * No minute, wherever it begins, has more requests and tokens than the limits allow.
 */
export interface Rates {
  /** Requests a slot; `model` identifies the limits. */
  acquire(model: string, ask: RateRequest): Promise<RateGrant>;
  /** Records the actual number of tokens of a request. */
  correct(model: string, receipt: string, tokens: number): Promise<void>;
  /** Returns the slot of a request that is not sent. */
  release(model: string, receipt: string): Promise<void>;
  /** Applies the limits that a provider has reported, for all callers. They expire. */
  learn(model: string, news: ProviderLimits): Promise<void>;
}
