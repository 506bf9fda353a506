import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Location } from '@millrace/runtime';
import { openBucket } from '@millrace/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { flood } from '../../support/http/flood.ts';
import { listen } from '../../support/http/listen.ts';
import { waitFor } from '../../support/waiting.ts';

/** Starts a server that answers without end. Returns its URL, and the bytes of each answer. */
async function startEndless(status: number, start: string): Promise<{ endpoint: string; sent: number[] }> {
  const sent: number[] = [];
  const server = createServer(async (request, response) => {
    request.resume();
    const piece = 'x'.repeat(100_000);
    sent.push(await flood(response.writeHead(status), { start, piece, bytes: 700_000_000 }));
  });
  onTestFinished(() => server.close().closeAllConnections());
  const port = await listen(server);
  return { endpoint: `http://127.0.0.1:${port}`, sent };
}

const location = (endpoint: string, more: Partial<S3Location> = {}): S3Location => ({
  bucket: 'b',
  prefix: '',
  region: 'us-east-1',
  pathStyle: true,
  credentials: { type: 'keys', accessKeyId: 'AK', secretAccessKey: 'SK' },
  endpoint,
  ...more,
});

async function failureAt(place: S3Location): Promise<unknown> {
  const bucket = openBucket(place, () => undefined, { repeatsForMs: 0 });
  const error = await bucket
    .put('x', { digest: 'a'.repeat(64), size: 1, source: Buffer.from('x') })
    .catch((thrown: unknown) => thrown);
  await bucket.close();
  return error;
}

const isLittle = expect.toSatisfy((bytes: number) => bytes < 20_000_000);

describe('a response without an end', () => {
  it('is read up to the beginning of its error', async () => {
    const { endpoint, sent } = await startEndless(403, '<Error><Code>AccessDenied</Code>');

    expect(await failureAt(location(endpoint))).toMatchObject({ code: 'S3_ACCESS_DENIED' });
    await waitFor(() => expect(sent).toContainEqual(isLittle));
  });

  it('is read up to its beginning if it should contain the keys of a role', async () => {
    const tokenFile = join(tmpdir(), `millrace-endless-token-${process.pid}`);
    await writeFile(tokenFile, 'the-token\n');
    const { endpoint, sent } = await startEndless(200, '<R>');
    const identity = { type: 'web-identity', roleArn: 'arn:role', tokenFile, sessionName: 's' } as const;

    const error = await failureAt(location(endpoint, { credentials: { ...identity, tokenService: endpoint } }));

    expect(error).toMatchObject({ code: 'S3_CREDENTIALS' });
    await waitFor(() => expect(sent).toContainEqual(isLittle));
    await rm(tokenFile);
  });
});
