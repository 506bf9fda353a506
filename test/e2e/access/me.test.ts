import { Millrace } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';

const api = openBeforeAll(serveApi);
const open = openBeforeAll(serveApi);

const meOf = (apiKey: string | undefined, of = api) => new Millrace({ url: of.orchestrator.url, apiKey }).me();

describe('the caller of a request', () => {
  it('is anonymous while the server requires no key', async () => {
    const me = await meOf(undefined, open);

    expect(me).toMatchObject({ name: 'anybody', tenant: 'default', scopes: ['admin'], operator: true, open: true });
    expect(me.server).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+/), workers: 1 });
    expect(Math.abs(me.server.now - Date.now())).toBeLessThan(60_000);
  });

  it.each(['read', 'run', 'answer', 'admin'] as const)('has only the scope %s of its key', async (scope) => {
    const me = await meOf(await api.keyOf('acme', scope));

    expect(me).toMatchObject({ tenant: 'acme', scopes: [scope], operator: false, open: false });
    expect(me).not.toHaveProperty('csrf');
  });

  it('has the name of its key, or else the id', async () => {
    const named = await api.keys.create({ tenant: 'default', scopes: ['admin'], name: 'Ann at the desk' });
    const unnamed = await api.keys.create({ tenant: 'default', scopes: ['admin'] });

    expect(await meOf(named.secret)).toMatchObject({ name: 'Ann at the desk', operator: true });
    expect(await meOf(unnamed.secret)).toMatchObject({ name: unnamed.key.id });
  });

  it('is not returned without a key where there are keys', async () => {
    await api.keyOf('acme', 'read');
    await expect.poll(() => meOf(undefined).catch(({ code }: { code: string }) => code)).toBe('KEY_MISSING');
  });
});
