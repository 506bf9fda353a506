import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Attachment } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { CommandError, exitCodes } from './exit.ts';

/** Puts files where runs find them, in the order in which they were named. */
export async function attachFiles({ blobs }: Runtime, paths: readonly string[]): Promise<readonly Attachment[]> {
  const { attach } = await import('@millrace/runtime');
  const attached: Attachment[] = [];
  for (const path of paths) attached.push(await attach(blobs, { name: basename(path), bytes: await bytesOf(path) }));
  return attached;
}

async function bytesOf(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(exitCodes.invalid, `${path} cannot be attached: ${reason}. Nothing was sent.`);
  }
}
