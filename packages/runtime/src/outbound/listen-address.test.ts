import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { assertListenable, listenError } from './listen-address.ts';

it('accepts a free port, which stays free', async () => {
  await assertListenable({ port: 0 });
  await assertListenable({ port: 0, host: '0.0.0.0' });
});

it('names a port on which something else listens', async () => {
  const other = createServer();
  const port = await new Promise<number>((resolve) => {
    other.listen(0, '127.0.0.1', () => {
      const address = other.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
    });
  });
  onTestFinished(() => void other.close());

  await expect(assertListenable({ port })).rejects.toMatchObject({
    code: 'PORT_TAKEN',
    message: `Something else listens on port ${port} of 127.0.0.1. Choose another port.`,
  });
});

it.each(['192.0.2.1', 'nobody.invalid'])('names an address that this machine does not have: %s', async (host) => {
  await expect(assertListenable({ port: 0, host })).rejects.toMatchObject({
    code: 'ADDRESS_UNUSABLE',
    message: expect.stringContaining(`This machine has no address ${host}.`),
  });
});

it('names a port that the user may not use, and leaves other errors as they are', () => {
  const refused = Object.assign(new Error('listen EACCES'), { code: 'EACCES' });
  const unknown = new Error('unknown');

  expect(listenError(refused, { port: 80 })).toMatchObject({
    code: 'ADDRESS_UNUSABLE',
    message: expect.stringContaining('Choose a port from 1024 on'),
  });
  expect(listenError(unknown, { port: 80 })).toBe(unknown);
});
