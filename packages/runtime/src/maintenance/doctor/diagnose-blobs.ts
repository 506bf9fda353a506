import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../../telemetry/finding.ts';

/** Directories that Millrace writes to; absent ones are not used. */
export interface DataDirectories {
  /** Directory of large contents and archived segments. */
  readonly blobs?: string;
  /** Directory to which runs are archived before they are removed. */
  readonly archive?: string;
}

/** Checks that directories can be written to, and creates missing ones. Never throws. */
export async function diagnoseDirectories({ blobs, archive }: DataDirectories): Promise<readonly Finding[]> {
  const findings = [
    blobs === undefined ? undefined : look('blobs', blobs, 'large contents have no place, and journals stay in Redis'),
    archive === undefined ? undefined : look('archive', archive, 'runs that have ended stay in Redis'),
  ];
  return (await Promise.all(findings)).filter((finding) => finding !== undefined);
}

async function look(subject: string, directory: string, otherwise: string): Promise<Finding> {
  const probe = join(directory, `.${randomUUID()}`);
  try {
    await mkdir(directory, { recursive: true });
    await writeFile(probe, '');
    await rm(probe);
    return { level: 'good', subject, message: `${directory} can be written to` };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      level: 'bad',
      subject,
      message: `${directory} cannot be written to, so ${otherwise}: ${reason}`,
      cure: 'Let the user that Millrace runs as make files there, or name another directory.',
    };
  }
}
