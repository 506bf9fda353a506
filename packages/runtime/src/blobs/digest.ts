import { createHash } from 'node:crypto';

/** The sha256 of contents in hex, which names them. */
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Whether a text is a digest; what is none must never become a path or a key. */
export const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
