import type { RequestError } from '@millrace/core';

const transientCodes: ReadonlySet<string> = new Set(['NOT_READY', 'FORMAT_NEWER']);

/** Returns whether a refusal is temporary, so that the same request may succeed later. */
export const isTransient = ({ code }: RequestError): boolean => transientCodes.has(code) || code.startsWith('REDIS_');
