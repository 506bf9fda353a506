import { describe, expect, it } from 'vitest';
import { createLocalRegistry } from '../adapters/memory/store/local-registry.ts';
import { createApiKeys } from './api-keys.ts';
import { createSessions } from './sessions.ts';

const hour = 60 * 60 * 1000;
const begun = Date.UTC(2026, 0, 1);

async function opened() {
  const clock = { time: begun };
  const store = { registry: createLocalRegistry(() => clock.time), now: () => clock.time };
  const keys = createApiKeys(store);
  const { key } = await keys.create({ tenant: 'acme', scopes: ['read'] });
  return { clock, keys, key, sessions: createSessions(store, keys) };
}

describe('a session', () => {
  it('ends when it was idle for twelve hours', async () => {
    const { clock, key, sessions } = await opened();
    const { token, session } = await sessions.begin(key);
    expect(session.expiresAt).toBe(begun + 12 * hour);
    clock.time += 12 * hour - 1;
    expect(await sessions.find(token)).toEqual(session);

    clock.time += 1;

    expect(await sessions.find(token)).toBeUndefined();
  });

  it('ends after seven days, however much it is used', async () => {
    const { clock, key, sessions } = await opened();
    const { token } = await sessions.begin(key);
    for (clock.time += 11 * hour; clock.time < begun + 7 * 24 * hour; clock.time += 11 * hour) {
      expect(await sessions.find(token)).toBeDefined();
      await sessions.renew(token);
    }
    clock.time = begun + 7 * 24 * hour - 1;
    expect((await sessions.find(token))?.expiresAt).toBe(begun + 7 * 24 * hour);

    clock.time += 1;

    expect(await sessions.find(token)).toBeUndefined();
  });

  it('ends with its key', async () => {
    const { clock, keys, sessions } = await opened();
    const { key } = await keys.create({ tenant: 'acme', scopes: ['read'], expiresAt: begun + hour });
    const { token, session } = await sessions.begin(key);
    expect(session.expiresAt).toBe(begun + hour);

    clock.time += hour;

    expect(await sessions.find(token)).toBeUndefined();
  });

  it('that was ended is not renewed by a late request', async () => {
    const { clock, key, sessions } = await opened();
    const { token } = await sessions.begin(key);
    clock.time += hour;

    await Promise.all([sessions.renew(token), sessions.end(token), sessions.renew(token)]);
    await sessions.renew(token);

    expect(await sessions.find(token)).toBeUndefined();
  });

  it('is found by its token only', async () => {
    const { key, sessions } = await opened();
    const { token, session } = await sessions.begin(key);

    for (const other of ['', 'x', session.csrf, `${token}A`, `session/${token}`]) {
      expect(await sessions.find(other)).toBeUndefined();
    }
  });
});
