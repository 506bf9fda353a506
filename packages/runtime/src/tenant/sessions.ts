import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { TenantId } from '@millrace/core';
import type { Store } from '../ports/store/port.ts';
import type { ApiKey, ApiKeys } from './api-keys.ts';

/*
 * Sessions of browsers. A session belongs to an API key and ends with it; a browser holds its token, and the registry the
 * hash of the token. A session expires when its browser was idle for `idleMs`, and `maxAgeMs` after its start in any case.
 */

const idleMs = 12 * 60 * 60 * 1000;
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;
/** Age of the recorded last use from which a further use is recorded. */
const renewAfterMs = 60_000;
const tokenForm = /^[\w-]{43}$/;

/** A session of a browser. */
export interface Session {
  readonly key: ApiKey;
  /** Text that a page needs to change something; it is derived from the token, which pages cannot read. */
  readonly csrf: string;
  /** Milliseconds since 1970 when the session ends if it is not used. */
  readonly expiresAt: number;
}

/** The sessions of an installation. */
export interface Sessions {
  /** Begins a session of a key. The token is returned only here: its hash is stored. */
  begin(key: ApiKey): Promise<{ readonly token: string; readonly session: Session }>;
  /** Returns the session of a token; undefined if it has ended, or its key is no longer valid. */
  find(token: string): Promise<Session | undefined>;
  /** Records the use of a session. */
  renew(token: string): Promise<void>;
  end(token: string): Promise<void>;
}

/** Longest life of a session, in seconds. */
export const sessionMaxAgeSeconds = maxAgeMs / 1000;

interface StoredSession {
  readonly tenant: TenantId;
  /** Id of the key. */
  readonly key: string;
  readonly createdAt: number;
  readonly seenAt: number;
}

/** Sessions of the keys of an installation, kept in the registry of a store. */
export function createSessions({ registry, now }: Pick<Store, 'registry' | 'now'>, keys: ApiKeys): Sessions {
  const read = async (name: string) => {
    const [text] = await registry.held([name]);
    // Written below.
    return text === undefined ? undefined : { text, stored: JSON.parse(text) as StoredSession };
  };
  return {
    async begin(key) {
      const token = randomBytes(32).toString('base64url');
      const stored = { tenant: key.tenant, key: key.id, createdAt: now(), seenAt: now() };
      const expiresAt = endOf(stored, key);
      await registry.replace(nameOf(token), JSON.stringify(stored), Math.max(1, expiresAt - now()));
      return { token, session: { key, csrf: csrfOf(token), expiresAt } };
    },
    async find(token) {
      const known = tokenForm.test(token) ? await read(nameOf(token)) : undefined;
      if (known === undefined) return undefined;
      const { stored } = known;
      const key = await keys.find(stored.tenant, stored.key);
      if (key === undefined) return undefined;
      const expiresAt = endOf(stored, key);
      return expiresAt <= now() ? undefined : { key, csrf: csrfOf(token), expiresAt };
    },
    async renew(token) {
      const known = await read(nameOf(token));
      if (known === undefined || now() - known.stored.seenAt < renewAfterMs) return;
      const stored = { ...known.stored, seenAt: now() };
      const forMs = Math.max(1, endOf(stored) - now());
      // A session that was ended or renewed in between stays as it is.
      await registry.swap(nameOf(token), { before: known.text, after: { text: JSON.stringify(stored), forMs } });
    },
    async end(token) {
      // Again after a renewal in between.
      for (let known = await read(nameOf(token)); known !== undefined; known = await read(nameOf(token))) {
        if (await registry.swap(nameOf(token), { before: known.text })) return;
      }
    },
  };
}

const nameOf = (token: string): string => `session/${createHash('sha256').update(token).digest('hex')}`;

const csrfOf = (token: string): string => createHmac('sha256', token).update('csrf').digest('base64url');

const endOf = ({ createdAt, seenAt }: StoredSession, { expiresAt }: Pick<ApiKey, 'expiresAt'> = {}): number =>
  Math.min(seenAt + idleMs, createdAt + maxAgeMs, expiresAt ?? Number.POSITIVE_INFINITY);
