import { createHash, randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { readTextStart } from '@millrace/core';
import type { Report } from '../redis/connection/report.ts';
import type { ClientOptions, ObjectResponse, S3Client } from './client.ts';
import { failureOfError, failureOfResponse, refusalFor } from './failure.ts';
import type { S3Location } from './location.ts';
import { describeLocation } from './location.ts';

/** Contents of an object, with their SHA-256 in hex. */
export interface ObjectContents {
  readonly digest: string;
  readonly size: number;
  readonly source: Uint8Array | FileHandle;
}

/** The objects below a location. All methods throw RequestError with a code `S3_…`. */
export interface Bucket {
  /** Location for messages. */
  readonly name: string;
  /** Writes an object with one request, whose digest the store verifies. */
  put(key: string, contents: ObjectContents): Promise<void>;
  /** Yields an object from the byte `from` up to before the byte `to`, default: its end; nothing when it is missing. */
  read(key: string, from?: number, to?: number): AsyncGenerator<Uint8Array>;
  /** Returns the size in bytes; undefined when there is no such object. */
  size(key: string): Promise<number | undefined>;
  /** Deletes an object; deleting a missing one changes nothing. Is repeated for so long while it fails. */
  delete(key: string, repeatsForMs?: number): Promise<void>;
  close(): Promise<void>;
}

/** Bytes that a store writes in a millisecond at the least. */
const leastBytesPerMs = 10_000;
const pieceBytes = 256 * 1024;
/** Number of times in a row that a broken response is continued without any progress. */
const maxContinuations = 5;

/** Opens a location; the first request loads the client with its HTTP library. */
export function openBucket(location: S3Location, report: Report, options?: ClientOptions): Bucket {
  let loading: Promise<S3Client> | undefined;
  const client = (): Promise<S3Client> => {
    loading ??= import('./client.ts').then((module) => new module.S3Client(location, report, options));
    return loading;
  };
  return {
    name: describeLocation(location),
    async put(key, { digest, size, source }) {
      const headers = { 'content-length': String(size), 'x-amz-content-sha256': digest };
      const body = () => (source instanceof Uint8Array ? source : Readable.from(piecesOf(source, size)));
      const sent = { method: 'PUT', key, headers, body, storesForMs: size / leastBytesPerMs } as const;
      const store = await client();
      const response = await store.send(sent);
      if (response === undefined) throw notAnswered(store, 404);
      await response.body.dump();
    },
    async *read(key, from = 0, to = Number.POSITIVE_INFINITY) {
      yield* readObject(await client(), key, { from, to });
    },
    async size(key) {
      const response = await (await client()).send({ method: 'HEAD', key });
      await response?.body.dump();
      return response === undefined ? undefined : Number(response.headers['content-length']);
    },
    async delete(key, repeatsForMs) {
      const response = await (await client()).send({ method: 'DELETE', key, repeatsForMs });
      await response?.body.dump();
    },
    close: async () => (await loading)?.close(),
  };
}

/** Yields a file. A stream of Node.js would close it when a request fails. */
async function* piecesOf(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, at);
    if (bytesRead === 0) throw new Error('The file with the contents has become shorter.');
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Part of an object: from the byte `from` up to before the byte `to`. */
interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Yields a part of an object; a response that breaks off is continued from there. */
async function* readObject(client: S3Client, key: string, { from, to }: ByteRange): AsyncGenerator<Uint8Array> {
  let at = from;
  for (let broken = 0; at < to; broken++) {
    const began = at;
    const response = await openRange(client, key, { from: at, to });
    if (response === undefined) return;
    try {
      for await (const piece of response.body as AsyncIterable<Buffer>) {
        at += piece.length;
        yield piece;
      }
      return;
    } catch (error) {
      if (at > began) broken = 0;
      if (broken === maxContinuations) throw refusalFor(client.name, failureOfError(error));
    }
  }
}

/** Opens a part of an object; undefined when there is no such object. */
async function openRange(client: S3Client, key: string, { from, to }: ByteRange): Promise<ObjectResponse | undefined> {
  const last = to === Number.POSITIVE_INFINITY ? '' : to - 1;
  const headers: Record<string, string> = from === 0 && last === '' ? {} : { range: `bytes=${from}-${last}` };
  const response = await client.send({ method: 'GET', key, headers });
  if (response === undefined || headers['range'] === undefined || response.statusCode === 206) return response;
  await response.body.dump();
  throw notAnswered(client, response.statusCode);
}

/** Returns the refusal for a response that no S3 store gives to a request. */
const notAnswered = ({ name }: S3Client, status: number) =>
  refusalFor(name, failureOfResponse({ status, body: '', region: undefined, target: undefined }));

const probe = Buffer.from('millrace');
const digest = createHash('sha256').update(probe).digest('hex');
/** Part of the probe that is read back: stores must return ranges. */
const [from, to] = [2, 6] as const;

/** Writes, reads and deletes an object. Throws RequestError with the reason why that is not possible. */
export async function checkBucket(bucket: Bucket): Promise<void> {
  const key = `probe-${randomUUID()}`;
  await bucket.put(key, { digest, size: probe.length, source: probe });
  // A store that does not know ranges may send anything.
  const part = await readTextStart(bucket.read(key, from, to), probe.length);
  await bucket.delete(key);
  if (part === probe.toString('utf8', from, to)) return;
  throw refusalFor(bucket.name, {
    code: 'S3_FAILED',
    reason: 'does not return what was written',
    cure: 'Check that the endpoint is that of an S3 store, and that nothing deletes objects below the prefix.',
    passing: false,
  });
}
