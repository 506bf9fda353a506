import { createServer } from 'node:http';
import { createGuardedFetch, createOutboundPolicy } from '@millrace/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../../support/http/listen.ts';

let asked = 0;
const server = createServer((request, response) => {
  asked += 1;
  if (request.url === '/elsewhere') response.writeHead(302, { location: 'http://[::ffff:169.254.169.254]/' });
  if (request.url === '/moved') response.writeHead(307, { location: '/headers' });
  if (request.url === '/other-host') response.writeHead(307, { location: `http://localhost:${port}/headers` });
  if (request.url === '/headers') return void response.end(JSON.stringify(request.headers));
  response.end('here');
});
let port = 0;

beforeAll(async () => {
  port = await listen(server);
});
afterAll(() => void server.close());

describe('a guarded fetch', () => {
  it.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])(
    'does not connect to %s',
    async (host) => {
      const before = asked;
      const fetched = createGuardedFetch(createOutboundPolicy([]))(`http://${host}:${port}/`);

      await expect(fetched).rejects.toMatchObject({ code: 'ADDRESS_REFUSED', transient: false });
      expect(asked).toBe(before);
    },
  );

  it('connects to allowed addresses and names', async () => {
    const guarded = createGuardedFetch(createOutboundPolicy(['loopback']));
    expect(await (await guarded(`http://127.0.0.1:${port}/`)).text()).toBe('here');
    const named = createGuardedFetch(createOutboundPolicy(['localhost']));
    expect(await (await named(`http://localhost:${port}/`)).text()).toBe('here');
  });

  it('refuses an address with a password, and does not print it', async () => {
    const fetched = createGuardedFetch(createOutboundPolicy(['loopback']))(`http://ann:secret@127.0.0.1:${port}/`);

    const error = await fetched.catch((refusal: unknown) => refusal);
    expect(error).toMatchObject({ code: 'ADDRESS_REFUSED', transient: false });
    expect(String(error)).not.toContain('secret');
  });

  it('takes the headers of a request along to the same server only', async () => {
    const guarded = createGuardedFetch(createOutboundPolicy(['loopback']));
    const headersAt = async (path: string): Promise<unknown> => {
      const headers = { 'x-api-key': 'secret', 'x-goog-api-key': 'secret', accept: 'application/json' };
      const init = { method: 'POST', body: '{}', headers: { ...headers, 'content-type': 'application/json' } };
      return (await guarded(`http://127.0.0.1:${port}${path}`, init)).json();
    };

    expect(await headersAt('/moved')).toMatchObject({ 'x-api-key': 'secret', 'x-goog-api-key': 'secret' });
    const elsewhere = await headersAt('/other-host');
    expect(elsewhere).toMatchObject({ accept: 'application/json', 'content-type': 'application/json' });
    expect(JSON.stringify(elsewhere)).not.toContain('secret');
  });

  it('does not follow a redirect to a forbidden address', async () => {
    const guarded = createGuardedFetch(createOutboundPolicy(['loopback']));
    await expect(guarded(`http://127.0.0.1:${port}/elsewhere`)).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' });
  });
});
