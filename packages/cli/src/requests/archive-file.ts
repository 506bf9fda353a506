import { resolve } from 'node:path';
import type { ArchiveFile } from '@millrace/runtime';
import { localArchive, s3Archive } from '@millrace/runtime';
import { CommandError, exitCodes } from '../exit/exit.ts';
import type { Cli } from '../process/cli.ts';

/** Returns an archived run by the path of its file, or the URL of an object in the archive. Throws CommandError. */
export async function archiveFile(cli: Cli, named: string): Promise<ArchiveFile> {
  if (!named.startsWith('s3:')) return localArchive(resolve(named));
  const { archive } = await cli.config();
  const place = archive?.type === 's3' ? `s3://${archive.location.bucket}/${archive.location.prefix}` : undefined;
  if (archive?.type !== 's3' || place === undefined || !named.startsWith(place)) {
    const where = place === undefined ? 'no location in S3' : place;
    throw new CommandError(
      exitCodes.invalid,
      `${named} is not in the archive: MILLRACE_ARCHIVE names ${where}. Set it to the location of the object.`,
    );
  }
  return s3Archive(archive, named.slice(place.length));
}
