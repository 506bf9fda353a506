import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { addReferenceRoutes } from '../routes/reference.ts';
import { addUiRoutes } from '../routes/ui.ts';
import type { Server } from './server.ts';
import { createServer } from './server.ts';

/** Opens a server whose pages consist of one file. */
async function serverWithPages(log = pino({ level: 'silent' })): Promise<Server> {
  const root = await mkdtemp(join(tmpdir(), 'millrace-'));
  await writeFile(join(root, 'index.html'), '<!doctype html>');
  const server = await createServer({ log, trustProxy: [] });
  addUiRoutes(server, root);
  addReferenceRoutes(server, root);
  onTestFinished(async () => {
    await server.close();
    await rm(root, { recursive: true });
  });
  return server;
}

it('forbids caches to keep errors, also where they keep files for a year', async () => {
  const server = await serverWithPages();

  for (const url of ['/ui/assets/gone.js', '/docs/assets/gone.js', '/nothing']) {
    const { statusCode, headers } = await server.inject(url);
    expect([statusCode, headers['cache-control']], url).toEqual([404, 'no-store']);
  }
});

it('logs the patterns of routes instead of addresses', async () => {
  const lines: string[] = [];
  const server = await serverWithPages(pino({ level: 'trace' }, { write: (line) => lines.push(line) }));
  server.get('/v1/runs/:id', async () => {
    throw new Error('a bug');
  });

  for (const url of ['/v1/runs/s3cr3t?key=s3cr3t', '/ui/s3cr3t?s3cr3t', '/nothing/s3cr3t', '/v1/runs/%s3cr3t']) {
    await server.inject(url);
  }

  expect(lines.join('')).not.toContain('s3cr3t');
  expect(lines.join('')).toContain('"route":"/v1/runs/:id"');
});
