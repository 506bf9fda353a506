import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Millrace } from '@millrace/client';
import { CommandError, exitCodes } from '../exit/exit.ts';

/** Pattern of the id of an uploaded file; a file on disk with such a name is `./NAME`. */
const uploaded = /^file_[0-9a-f]{32}$/;

/** Uploads files and returns their ids in the same order. */
export async function attachFiles({ files }: Millrace, named: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const one of named)
    ids.push(uploaded.test(one) ? one : (await files.upload(await bytesOf(one), { name: basename(one) })).id);
  return ids;
}

async function bytesOf(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(exitCodes.invalid, `${path} cannot be attached: ${reason}. Nothing was sent.`);
  }
}
