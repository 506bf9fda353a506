import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startMillrace } from '../../support/processes/millrace.ts';

let cwd = '';
let silent: Server;
let connections: Socket[] = [];

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'millrace-starting-'));
  silent = createServer((connection) => void connections.push(connection.on('error', () => undefined))).listen(
    0,
    '127.0.0.1',
  );
  await once(silent, 'listening');
});
afterEach(() => {
  for (const connection of connections) connection.destroy();
  connections = [];
  silent.close();
  rmSync(cwd, { recursive: true });
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
