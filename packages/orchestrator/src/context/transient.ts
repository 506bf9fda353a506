import type { RequestError } from '@millrace/core';
import { isStorageFailure } from '@millrace/runtime';

const transientCodes: ReadonlySet<string> = new Set(['NOT_READY', 'FORMAT_NEWER']);

/** Returns whether a refusal is temporary, so that the same request may succeed later. */
export const isTransient = (error: RequestError): boolean =>
  transientCodes.has(error.code) || error.code.startsWith('REDIS_') || isStorageFailure(error);
