import { createHash, createHmac } from 'node:crypto';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { S3Location } from '@millrace/runtime';
import { connect, createS3Blobs, createShard, diagnoseStorage, openBucket } from '@millrace/runtime';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { listen } from '../../support/http/listen.ts';
import { freePort } from '../../support/redis/free-port.ts';
import { makeCertificates } from '../../support/redis/tls.ts';
import { startS3 } from '../../support/s3/s3-server.ts';

const secret = 'S3RVER-secret-key';

const real = openBeforeAll(startS3);
/** Location on a server that answers as given. */
async function answering(listener: RequestListener): Promise<S3Location> {
  const server = createServer(listener);
  onTestFinished(() => server.close().closeAllConnections());
  const port = await listen(server);
  return at(`http://127.0.0.1:${port}`);
}

const at = (endpoint: string, more: Partial<S3Location> = {}): S3Location => ({
  ...real.location('files/'),
  credentials: { type: 'keys', accessKeyId: 'AKID', secretAccessKey: secret },
  endpoint,
  ...more,
});

const failing = (status: number, code: string, { headers = {}, more = '' } = {}) =>
  answering((request, response) => {
    request.resume();
    response.writeHead(status, headers).end(`<Error><Code>${code}</Code><Message>m</Message>${more}</Error>`);
  });

/** The finding of a check that does not wait. */
async function finding(location: S3Location) {
  const [found] = await diagnoseStorage({ blobs: { type: 's3', location, spool: tmpdir() } });
  return found;
}

const codeOf = async (location: S3Location, repeatsForMs = 0): Promise<{ code: string; message: string }> => {
  const bucket = openBucket(location, () => undefined, { repeatsForMs });
  const error = await bucket.put('x', { digest: 'a'.repeat(64), size: 1, source: Buffer.from('x') }).then(
    () => undefined,
    (thrown: unknown) => thrown as { code: string; message: string },
  );
  await bucket.close();
  if (error === undefined) throw new Error('The request has succeeded.');
  return { code: error.code, message: error.message };
};

describe('a request to S3', () => {
  it.each([
    ['S3_ACCESS_DENIED', () => failing(403, 'AccessDenied'), /denies access \(403 AccessDenied\)\. Allow s3:GetObject/],
    ['S3_CREDENTIALS', () => failing(403, 'SignatureDoesNotMatch'), /does not accept the keys/],
    ['S3_CREDENTIALS', () => failing(400, 'ExpiredToken'), /does not accept the keys \(400 ExpiredToken\)/],
    ['S3_CREDENTIALS', () => failing(403, 'RequestTimeTooSkewed'), /the clock of this machine/],
    ['S3_BUCKET_MISSING', () => failing(404, 'NoSuchBucket'), /does not exist\. Create the bucket/],
    [
      'S3_REGION',
      () => failing(400, 'AuthorizationHeaderMalformed', { more: '<Region>eu-north-1</Region>' }),
      /is in another region, or at another address: region eu-north-1 \(400.*Set region=eu-north-1 in its URL/,
    ],
    [
      'S3_REGION',
      () => failing(301, 'PermanentRedirect', { headers: { 'x-amz-bucket-region': 'us-west-2' } }),
      /Set region=us-west-2 in its URL/,
    ],
    [
      'S3_REGION',
      () => failing(307, '', { headers: { location: 'https://user:pw@other.example/a' } }),
      /: other\.example \(307\)/,
    ],
    ['S3_CHECKSUM', () => failing(400, 'XAmzContentSHA256Mismatch'), /received other contents than were sent/],
    ['S3_SLOW', () => failing(503, 'SlowDown'), /refuses requests for now \(503 SlowDown\)\. Try again later/],
    ['S3_SLOW', () => failing(429, 'TooManyRequests'), /refuses requests for now/],
    ['S3_FAILED', () => failing(405, 'MethodNotAllowed'), /refuses a request \(405 MethodNotAllowed\)/],
    ['S3_FAILED', () => failing(404, 'Not S3'), /refuses a request \(404\)/],
    [
      'S3_UNREACHABLE',
      async () => at(`http://127.0.0.1:${await freePort()}`),
      /cannot be reached: connect ECONNREFUSED/,
    ],
    ['S3_UNREACHABLE', async () => at('http://nowhere.invalid:9000'), /cannot be reached: getaddrinfo/],
  ])('fails with %s, and names location, reason and cure: case %#', async (code, location, message) => {
    const error = await codeOf(await location());

    expect(error).toEqual({ code, message: expect.stringMatching(message) });
    expect(error.message).toMatch(/^s3:\/\/contents\/files\/ at http/);
    expect(error.message).not.toContain(secret);
  });

  it('does not follow redirections, so that no other host receives contents', async () => {
    let elsewhere = 0;
    const other = await answering((_request, response) => {
      elsewhere += 1;
      response.end();
    });
    const location = await failing(307, 'TemporaryRedirect', { headers: { location: `${other.endpoint}/contents/x` } });

    expect(await codeOf(location, 2000)).toMatchObject({ code: 'S3_REGION' });
    expect(elsewhere).toBe(0);
  });

  it.each(['bytes', 'file'])(
    'is repeated after a refusal and after a broken connection, with all of its %s',
    async (kind) => {
      const bodies: string[] = [];
      const location = await answering(async (request: IncomingMessage, response) => {
        let body = '';
        for await (const chunk of request) body += String(chunk);
        bodies.push(body);
        if (bodies.length === 1) response.writeHead(503).end();
        else if (bodies.length === 2) request.socket.destroy();
        else response.end();
      });
      const bucket = openBucket(location, () => undefined);
      const path = join(tmpdir(), `millrace-body-${process.pid}`);
      await writeFile(path, 'abc');
      const file = await open(path);

      await bucket.put('x', { digest: 'a'.repeat(64), size: 3, source: kind === 'file' ? file : Buffer.from('abc') });

      expect(bodies).toEqual(['abc', 'abc', 'abc']);
      await file.close();
      await rm(path);
      await bucket.close();
    },
  );

  it('is continued where a response has broken off', async () => {
    const contents = Buffer.from('0123456789');
    const ranges: unknown[] = [];
    const location = await answering((request, response) => {
      const [, from = '0'] = /bytes=(\d+)-/.exec(request.headers.range ?? '') ?? [];
      ranges.push(request.headers.range);
      response.writeHead(request.headers.range === undefined ? 200 : 206, { 'content-length': 10 - Number(from) });
      response.write(contents.subarray(Number(from), Number(from) + 4), () => {
        if (Number(from) < 8) request.socket.destroy();
        else response.end();
      });
    });
    const bucket = openBucket(location, () => undefined);
    const pieces: Uint8Array[] = [];

    for await (const piece of bucket.read('x')) pieces.push(piece);

    expect(Buffer.concat(pieces)).toEqual(contents);
    expect(ranges).toEqual([undefined, 'bytes=4-', 'bytes=8-']);
    await bucket.close();
  });

  it('with an unknown certificate fails with S3_TLS at once', async () => {
    const certificates = await makeCertificates();
    const file = (name: string) => readFile(join(dirname(certificates.authority), name));
    const server = createTlsServer({ key: await file('redis.key'), cert: await file('redis.crt') }, (_, response) =>
      response.end(),
    );
    onTestFinished(() => server.close().closeAllConnections());
    const port = await listen(server);

    const error = await codeOf(at(`https://localhost:${port}`), 60_000);

    expect(error).toEqual({ code: 'S3_TLS', message: expect.stringMatching(/certificate.*NODE_EXTRA_CA_CERTS/) });
    await certificates.remove();
  });
});

it.each(['plain', 'with space/and~tilde/and%25+plus', 'ünïcode (1)!*'])(
  'signs requests for the key %j',
  async (key) => {
    const verdicts: unknown[] = [];
    const location = await answering(async (request, response) => {
      request.resume();
      verdicts.push(signatureOf(request) === /Signature=(\w+)/.exec(request.headers.authorization ?? '')?.[1]);
      verdicts.push(decodeURIComponent(request.url ?? ''));
      response.end();
    });
    const bucket = openBucket(location, () => undefined);

    await bucket.put(key, { digest: 'a'.repeat(64), size: 1, source: Buffer.from('x') });
    await bucket.delete(key);

    expect(verdicts).toEqual([true, `/contents/files/${key}`, true, `/contents/files/${key}`]);
    await bucket.close();
  },
);

/** The signature (version 4) that a request should have; the path of S3 is encoded once. */
function signatureOf({ method = '', url = '', headers }: IncomingMessage): string {
  const names = /SignedHeaders=([\w;-]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const date = String(headers['x-amz-date']);
  const lines = names.split(';').map((name) => `${name}:${String(headers[name])}\n`);
  const canonical = [method, url, '', lines.join(''), names, String(headers['x-amz-content-sha256'])].join('\n');
  const scope = `${date.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const hash = createHash('sha256').update(canonical).digest('hex');
  const sign = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = scope.split('/').reduce<string | Buffer>((made, part) => sign(made, part), `AWS4${secret}`);
  return sign(key, ['AWS4-HMAC-SHA256', date, scope, hash].join('\n')).toString('hex');
}

describe('keys of a role', () => {
  it('are requested with the token of the workload, kept, and requested again when they are refused', async () => {
    const tokenFile = join(tmpdir(), `millrace-token-${process.pid}`);
    await writeFile(tokenFile, 'the-token\n');
    const requests: string[] = [];
    const service = await answering(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      requests.push(body);
      const expiration = new Date(Date.now() + 3_600_000).toISOString();
      const xml = `<AccessKeyId>AK${requests.length}</AccessKeyId><SecretAccessKey>SK</SecretAccessKey>`;
      response.end(`<R>${xml}<SessionToken>ST</SessionToken><Expiration>${expiration}</Expiration></R>`);
    });
    const seen: unknown[] = [];
    const store = await answering((request, response) => {
      request.resume();
      seen.push([
        request.headers.authorization?.match(/Credential=(\w+)/)?.[1],
        request.headers['x-amz-security-token'],
      ]);
      if (seen.length === 3) response.writeHead(400).end('<Code>ExpiredToken</Code>');
      else response.end();
    });
    const identity = { type: 'web-identity', roleArn: 'arn:role', tokenFile, sessionName: 's' } as const;
    const credentials = { ...identity, tokenService: service.endpoint ?? '' };
    const bucket = openBucket({ ...store, credentials }, () => undefined);

    for (const key of ['a', 'b', 'c']) await bucket.delete(key);

    expect(seen).toEqual([
      ['AK1', 'ST'],
      ['AK1', 'ST'],
      ['AK1', 'ST'],
      ['AK2', 'ST'],
    ]);
    expect(requests).toHaveLength(2);
    expect(Object.fromEntries(new URLSearchParams(requests[0]))).toMatchObject({
      Action: 'AssumeRoleWithWebIdentity',
      RoleArn: 'arn:role',
      WebIdentityToken: 'the-token',
    });
    await bucket.close();
    await rm(tokenFile);
  });
});

/** A store whose keys come from a token service that answers as given, request by request. */
async function withTokenService(answers: readonly ((response: ServerResponse) => void)[]): Promise<S3Location> {
  const tokenFile = join(tmpdir(), `millrace-token-${process.pid}`);
  await writeFile(tokenFile, 'the-token\n');
  onTestFinished(() => rm(tokenFile));
  let asked = 0;
  const { endpoint = '' } = await answering((request, response) => {
    request.resume();
    answers[asked++ % answers.length]?.(response);
  });
  const store = await answering((request, response) => {
    request.resume();
    response.end();
  });
  const identity = { type: 'web-identity', roleArn: 'arn:role', tokenFile, sessionName: 's' } as const;
  return { ...store, credentials: { ...identity, tokenService: endpoint } };
}

const busy = (response: ServerResponse) => void response.writeHead(503).end('<Code>ServiceUnavailable</Code>');
const broken = (response: ServerResponse) => void response.destroy();
const keys = (response: ServerResponse) =>
  void response.end(
    '<R><AccessKeyId>A</AccessKeyId><SecretAccessKey>S</SecretAccessKey><SessionToken>T</SessionToken></R>',
  );

describe('a token service that fails', () => {
  it('is asked again like the store itself', async () => {
    const bucket = openBucket(await withTokenService([busy, broken, keys]), () => undefined);

    await bucket.delete('a');
    await bucket.close();
  });

  it.each([
    ['S3_SLOW', busy, /gets no keys: the token service \S+ gives none for arn:role \(503 ServiceUnavailable\)/],
    ['S3_UNREACHABLE', broken, /gets no keys: the token service \S+ cannot be reached.*\. Set AWS_ENDPOINT_URL_STS/],
    [
      'S3_CREDENTIALS',
      (response: ServerResponse) => void response.writeHead(400).end('<Code>InvalidIdentityToken</Code>'),
      /gives none for arn:role \(400 InvalidIdentityToken\)\. Check AWS_ACCESS_KEY_ID/,
    ],
  ])('is reported as %s', async (code, answer, message) => {
    expect(await codeOf(await withTokenService([answer]))).toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});

describe('the check of a location', () => {
  it('succeeds on a store that works', async () => {
    expect(await finding(real.location())).toMatchObject({ level: 'good', subject: 'blobs' });
    expect(await real.objects()).toEqual([]);
  });

  it('reports keys that the store does not know, a missing bucket, and a spool that cannot be written', async () => {
    expect(await finding(at(real.endpoint))).toMatchObject({
      level: 'bad',
      message: expect.stringMatching(/does not accept the keys.*large contents have no place/),
    });
    expect(await finding({ ...real.location(), bucket: 'no-such-bucket' })).toMatchObject({
      message: expect.stringContaining('s3://no-such-bucket/ at http'),
    });
    const spool = '/dev/null/spool';
    const [found] = await diagnoseStorage({ archive: { type: 's3', location: real.location(), spool } });
    expect(found).toMatchObject({ level: 'bad', subject: 'archive', message: expect.stringContaining(spool) });
  });
});

it('refuses contents that arrive in pieces when they cannot wait on the disk', async () => {
  const connection = connect(`redis://127.0.0.1:${await freePort()}`, 'test');
  const bucket = openBucket(real.location(), () => undefined);
  const blobs = createS3Blobs({ shard: createShard(connection, '{x}'), bucket, spool: '/dev/null/spool' });
  const pieces = (async function* () {
    yield Buffer.from('a');
  })();

  await expect(blobs.putPieces(pieces)).rejects.toMatchObject({ code: 'S3_SPOOL' });
  connection.disconnect();
  await bucket.close();
});
