import type { RequestError } from '@millrace/core';

const transientCodes: ReadonlySet<string> = new Set(['NOT_READY', 'FORMAT_NEWER']);

/** Says whether a refusal ends without anybody changing what was refused, so that the same is tried again later. */
export const isTransient = ({ code }: RequestError): boolean => transientCodes.has(code) || code.startsWith('REDIS_');
