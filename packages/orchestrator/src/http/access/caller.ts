import type { CallerIdentity } from '@millrace/api';
import type { Scope } from '@millrace/core';
import type { TenantRuntime } from '@millrace/runtime';

/**
 * The caller of a request, with the parts of the installation that belong to its tenant: all that a route works with.
 */
export interface Caller {
  /** Name of the key, or subject of the token, in logs and limits. */
  readonly name: string;
  readonly identity: CallerIdentity;
  readonly scopes: readonly Scope[];
  readonly tenant: TenantRuntime;
  /** Returns whether the caller would still be admitted: its key may be revoked during a long response. */
  isStillAdmitted(): Promise<boolean>;
}

/**
 * Scope that a route requires: a scope, or any of several; `operator` for the whole installation, which is an admin of
 * the default tenant; or `nobody`. A route without it cannot be added.
 */
export type RouteScope = Scope | readonly Scope[] | 'operator' | 'nobody';

declare module 'fastify' {
  interface FastifyContextConfig {
    requiredScope?: RouteScope;
    /**
     * Pages for people in a browser, which cannot send a bearer token: the key may also be the password of HTTP Basic.
     * Only for routes that change nothing, because browsers send a password with requests of any page.
     */
    browser?: true;
  }
  interface FastifyRequest {
    /** Set before the handler of every route that requires a scope, and never for others. */
    caller: Caller;
  }
}
