import dns from 'node:dns/promises';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createGuardedFetch, createOutboundPolicy } from '@millrace/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

/** The answers of the resolver, one for each question; the last one stays. */
const answers: string[][] = [];
let questions = 0;

const { lookup } = dns;
/** Replaces the resolver of this process, also for modules that have imported it by name. */
function replaceLookup(replacement: unknown): void {
  Object.assign(dns, { lookup: replacement });
  syncBuiltinESMExports();
}

async function scriptedLookup() {
  questions += 1;
  const found = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
  return found.map((address) => ({ address, family: 4 }));
}

const reachedAt: (string | undefined)[] = [];
const server = createServer(({ socket }, response) => {
  reachedAt.push(socket.localAddress);
  response.setHeader('connection', 'close').end('here');
});
let url = '';

beforeAll(async () => {
  replaceLookup(scriptedLookup);
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  url = `http://rebinding.example:${(server.address() as AddressInfo).port}/`; // it listens on a port
});
beforeEach(() => {
  reachedAt.length = 0;
  questions = 0;
});
afterAll(() => {
  replaceLookup(lookup);
  server.close();
});

/** Stands for a public address: the one that is allowed. */
const allowed = '127.0.0.2';
const forbidden = '127.0.0.1';

describe('a name that resolves to another address after its check', () => {
  it('is connected to at the checked address, and resolved once', async () => {
    answers.splice(0, Infinity, [allowed], [forbidden]);
    const guarded = createGuardedFetch(createOutboundPolicy([allowed]));

    expect(await (await guarded(url)).text()).toBe('here');
    expect({ reachedAt, questions }).toEqual({ reachedAt: [allowed], questions: 1 });
    await expect(guarded(url)).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' });
    expect(reachedAt).toEqual([allowed]);
  });

  it('is not connected to when one of its addresses is forbidden', async () => {
    answers.splice(0, Infinity, [allowed, forbidden]);

    await expect(createGuardedFetch(createOutboundPolicy([allowed]))(url)).rejects.toMatchObject({
      code: 'ADDRESS_REFUSED',
    });
    expect(reachedAt).toEqual([]);
  });
});
