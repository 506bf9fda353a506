import { createHash, randomUUID } from 'node:crypto';
import { readTextStart } from '@millrace/core';
import type { Bucket } from './bucket.ts';
import { refusalFor } from './failure.ts';

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
