import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Millrace, UploadedFile } from '@millrace/client';
import { CommandError, exitCodes } from '../exit/exit.ts';

/** Uploads files, to be attached in the order in which they were named. */
export async function attachFiles({ files }: Millrace, paths: readonly string[]): Promise<readonly UploadedFile[]> {
  const attached: UploadedFile[] = [];
  for (const path of paths) attached.push(await files.upload(await bytesOf(path), { name: basename(path) }));
  return attached;
}

async function bytesOf(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(exitCodes.invalid, `${path} cannot be attached: ${reason}. Nothing was sent.`);
  }
}
