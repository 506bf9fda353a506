import { createHash } from 'node:crypto';

/** The sha256 of contents in hex, which names them. */
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Returns whether a text is a digest. Only digests may become paths or keys. */
export const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
