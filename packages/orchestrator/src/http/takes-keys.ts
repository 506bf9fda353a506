import type { FastifyContextConfig } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Why it takes no idempotency keys: what it answers must be kept nowhere, or it comes to the same whenever it is sent. */
    replay?: 'never' | 'needless';
  }
}

/** Whether requests to a route may have an idempotency key. */
export const takesKeys = (method: string, config: FastifyContextConfig): boolean =>
  changesSomething(method, config) && config.replay === undefined;

/** Whether it matters how often a request to a route is carried out. */
export const changesSomething = (method: string, { requiredScope }: FastifyContextConfig): boolean =>
  method !== 'GET' && method !== 'HEAD' && requiredScope !== 'nobody';
