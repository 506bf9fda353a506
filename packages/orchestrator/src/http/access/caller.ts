import type { Scope } from '@millrace/core';
import type { TenantRuntime } from '@millrace/runtime';

/** Who asks, and all that a route gets to work with of the installation: what belongs to the tenant of whoever asks. */
export interface Caller {
  /** Names the key, or the subject of the token, in logs and limits. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly tenant: TenantRuntime;
}

/**
 * What a route demands of its callers: a scope, or any one of several; `operator` for what concerns the whole
 * installation, which is an admin of the default tenant; or nothing. One that does not say cannot be added.
 */
export type RouteScope = Scope | readonly Scope[] | 'operator' | 'nobody';

declare module 'fastify' {
  interface FastifyContextConfig {
    requiredScope?: RouteScope;
    /**
     * Seen by people in a browser, which cannot send a bearer token: the key may also be the password of HTTP Basic. Only
     * for what changes nothing, as browsers send a password along with whatever any page has them ask.
     */
    browser?: true;
  }
  interface FastifyRequest {
    /** Set before the handler of every route that demands a scope, and never for others. */
    caller: Caller;
  }
}
