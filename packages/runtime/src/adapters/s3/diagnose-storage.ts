import { cureOfUnwritable, probeDirectory } from '../../files/path-unwritable.ts';
import type { Finding } from '../../ports/admin.ts';
import { checkBucket, openBucket } from './bucket.ts';
import type { BlobLocation, S3Storage, StorageLocations } from './location.ts';

/** Checks that contents and archived runs can be stored, and creates missing directories. Never throws. */
export async function diagnoseStorage({ blobs, archive }: StorageLocations): Promise<readonly Finding[]> {
  const findings = [
    checked('blobs', blobs, 'large contents have no place, and journals stay in Redis'),
    checked('archive', archive, 'runs that have ended stay in Redis'),
  ];
  return (await Promise.all(findings)).filter((finding) => finding !== undefined);
}

async function checked(
  subject: string,
  location: BlobLocation | undefined,
  otherwise: string,
): Promise<Finding | undefined> {
  if (location === undefined || location.type === 'redis') return undefined;
  return location.type === 'directory' ? look(subject, location.path, otherwise) : reach(subject, location, otherwise);
}

/** Stores and reads a probe; contents wait in a directory until they are sent. */
async function reach(subject: string, { location, spool }: S3Storage, otherwise: string): Promise<Finding> {
  const bucket = openBucket(location, () => undefined, { repeatsForMs: 0 });
  try {
    await checkBucket(bucket);
    const waiting = await look(subject, spool, otherwise);
    return waiting.level === 'bad' ? waiting : { ...waiting, message: `${bucket.name} can be read and written` };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { level: 'bad', subject, message: `${message} Until then, ${otherwise}.` };
  } finally {
    await bucket.close();
  }
}

async function look(subject: string, directory: string, otherwise: string): Promise<Finding> {
  try {
    await probeDirectory(directory);
    return { level: 'good', subject, message: `${directory} can be written to` };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      level: 'bad',
      subject,
      message: `${directory} cannot be written to, so ${otherwise}: ${reason}`,
      cure: cureOfUnwritable,
    };
  }
}
