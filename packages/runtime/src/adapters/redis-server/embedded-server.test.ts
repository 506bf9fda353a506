import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { useEmbeddedServer } from './embedded-server.ts';
import { serverHome } from './server-home.ts';

it('says that a server ended while it started, in place of asking it for two minutes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-embedded-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));

  await expect(useEmbeddedServer(serverHome(directory), 'false')).rejects.toMatchObject({
    code: 'REDIS_FAILED',
    message: expect.stringMatching(/ended while it started\. Its log is empty: is the disk full\?$/),
  });
});
