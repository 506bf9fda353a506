import type { Api, Json } from '../turn.ts';

/** A request that the vendor refuses: a status, and a sentence in the vendor's words. */
export interface Refusal {
  readonly refuse: number;
  readonly message: string;
  /** Parameter that the sentence is about; the APIs of OpenAI name it. */
  readonly param?: string | null;
  /** The vendor's word for the kind of refusal, where it has one. */
  readonly code?: string | null;
  readonly type?: string;
  /** Details, as Google gives them. */
  readonly details?: readonly unknown[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Body that replaces the vendor's own shape. */
  readonly body?: unknown;
}

/** Returns a refusal of a request that is wrong. */
export const invalid = (message: string, more: Omit<Refusal, 'refuse' | 'message'> = {}): Refusal => ({
  refuse: 400,
  message,
  ...more,
});

/** Returns the first refusal among checks, which are made in their order. */
export function firstRefusal(...checks: readonly (() => Refusal | undefined | false)[]): Refusal | undefined {
  for (const check of checks) {
    const refusal = check();
    if (refusal) return refusal;
  }
  return undefined;
}

const anthropicTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const googleStatuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

const openaiTypes: Readonly<Record<number, string>> = { 429: 'requests', 500: 'server_error', 503: 'server_error' };

/** Returns the body of a refusal in the shape of the API. */
export function refusalBody(api: Api, { refuse, message, ...refusal }: Refusal): unknown {
  if (refusal.body !== undefined) return refusal.body;
  const type = refusal.type;
  const bodies: Readonly<Record<Api, () => Json>> = {
    chat: () => ({
      error: {
        message,
        type: type ?? openaiTypes[refuse] ?? 'invalid_request_error',
        param: refusal.param ?? null,
        code: refusal.code ?? null,
      },
    }),
    responses: () => bodies.chat(),
    messages: () => ({
      type: 'error',
      error: { type: type ?? anthropicTypes[refuse] ?? 'api_error', message },
      request_id: 'req_fake',
    }),
    content: () => ({
      error: {
        code: refuse,
        message,
        status: type ?? googleStatuses[refuse] ?? 'INTERNAL',
        ...(refusal.details && { details: refusal.details }),
      },
    }),
  };
  return bodies[api]();
}
