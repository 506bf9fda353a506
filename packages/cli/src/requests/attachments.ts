import { basename } from 'node:path';
import type { Millrace } from '@millrace/client';
import { readLocalFile } from '../workflow/source-file.ts';

/** Pattern of the id of an uploaded file; a file on disk with such a name is `./NAME`. */
const uploaded = /^file_[0-9a-f]{32}$/;

/** Uploads files and returns their ids in the same order. */
export async function attachFiles({ files }: Millrace, named: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const one of named)
    ids.push(uploaded.test(one) ? one : (await files.upload(readLocalFile(one), { name: basename(one) })).id);
  return ids;
}
