import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { directoryBeforeEach, openBeforeEach } from '../../support/fixtures.ts';
import { startMillrace } from '../../support/processes/millrace.ts';

const cwd = directoryBeforeEach();
const silent = openBeforeEach(() =>
  createServer((connection) => void connections.push(connection.on('error', () => undefined))).listen(0, '127.0.0.1'),
);
let connections: Socket[] = [];

beforeEach(async () => {
  await once(silent, 'listening');
});
afterEach(() => {
  for (const connection of connections) connection.destroy();
  connections = [];
});

it.each([['worker'], ['serve', '--port', '0'], ['mcp']])(
  'millrace %s ends soon when it is stopped before Redis answers',
  async (...args) => {
    const { port } = silent.address() as { port: number }; // it listens on a port
    const env = { REDIS_URL: `redis://127.0.0.1:${port}`, MILLRACE_STOP_GRACE: '55s' };
    const command = startMillrace(args, { cwd, env, keepsStdinOpen: true });
    await once(silent, 'connection');

    command.signal('SIGTERM');

    // Long before the grace time is over, after which it would say so.
    expect(await command.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('Stopped after') });
  },
  30_000,
);
