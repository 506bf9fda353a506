import { randomUUID } from 'node:crypto';
import type { RuntimeLocation } from '@millrace/runtime';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Redis at REDIS_URL, or else one for each worker of Vitest. */
    readonly redisUrls: readonly string[];
  }
}

/** A place to keep runs; `where` is the same for `openRuntime`, and `env` for processes. */
export interface Installation {
  readonly url: string;
  readonly prefix: string;
  readonly where: { readonly redisUrl: string; readonly prefix: string };
  readonly env: { readonly REDIS_URL: string; readonly MILLRACE_PREFIX: string };
}

/**
 * Returns an installation that nobody else uses, in a Redis that all files of this worker of Vitest share: who ends a Redis, deletes the
 * keys of others or counts commands starts one of their own.
 */
export function newInstallation(): Installation {
  const urls = inject('redisUrls');
  const [url = ''] = urls.slice((Number(process.env['VITEST_POOL_ID']) - 1) % urls.length);
  const name = `test-${randomUUID()}`;
  const prefix = `{${name}}`;
  return { url, prefix, where: { redisUrl: url, prefix }, env: { REDIS_URL: url, MILLRACE_PREFIX: name } };
}

/** Returns places for the same tests: with runs in memory, and with runs in Redis. */
export const bothPlaces = (): readonly (readonly ['memory' | 'Redis', RuntimeLocation])[] => [
  ['memory', { local: true }],
  ['Redis', newInstallation().where],
];
