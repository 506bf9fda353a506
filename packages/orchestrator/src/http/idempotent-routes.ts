import type { FastifyContextConfig } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Reason for which the route accepts no idempotency keys: its response must not be stored, or repeating it changes
     * nothing.
     */
    replay?: 'never' | 'needless';
  }
}

/** Returns whether requests to a route may have an idempotency key. */
export const acceptsIdempotencyKey = (method: string, config: FastifyContextConfig): boolean =>
  changesSomething(method, config) && config.replay === undefined;

/** Returns whether it matters how often a request to a route is executed. */
export const changesSomething = (method: string, { requiredScope }: FastifyContextConfig): boolean =>
  method !== 'GET' && method !== 'HEAD' && requiredScope !== 'nobody';
