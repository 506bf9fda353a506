import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Attachment } from '@millrace/core';
import type { CliClient } from '../client/cli-client.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';

/** Puts files where runs find them, in the order in which they were named. */
export async function attachFiles(
  installation: Pick<CliClient, 'attach'>,
  paths: readonly string[],
): Promise<readonly Attachment[]> {
  const attached: Attachment[] = [];
  for (const path of paths) {
    attached.push(await installation.attach({ name: basename(path), bytes: await bytesOf(path) }));
  }
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
