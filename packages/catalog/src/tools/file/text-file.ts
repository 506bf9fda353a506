import type { Workspace } from '@millrace/core';
import { encodingLabel, isEncoding } from '@millrace/core';
import { z } from 'zod';

/** The argument that names the encoding of a text file. */
export const encoding = z
  .string()
  .default('auto')
  .describe('Encoding of the file, such as utf-8 or latin-1; auto: UTF-8, or else Latin-1.');

/** Returns the text of a file in the workspace. */
export async function textIn(workspace: Workspace, path: string, label = 'auto'): Promise<string> {
  return decoded(await workspace.read(path), label);
}

/** Decodes bytes as text. */
export function decoded(bytes: Uint8Array, label: string): string {
  if (label !== 'auto') {
    if (!isEncoding(label)) throw new Error(`there is no encoding "${label}"`);
    return new TextDecoder(encodingLabel(label)).decode(bytes);
  }
  if (bytes.includes(0)) throw new Error('the file is not text');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Every byte is a character of Latin-1.
    return new TextDecoder('latin1').decode(bytes);
  }
}

/** Throws for an encoding other than UTF-8: files are always written in UTF-8. */
export function assertWritable(label: string): void {
  if (!['auto', 'utf-8', 'utf8'].includes(encodingLabel(label))) {
    throw new Error(`files are written in utf-8 only, not in ${label}`);
  }
}

/** Returns the lines of a text, each with its line end. */
export const splitLines = (text: string): readonly string[] => text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];

const attachments = 'attachments';

/** Throws for paths of attachments, which must not be changed. */
export function refuseAttachments(...paths: readonly string[]): void {
  for (const path of paths) {
    const [first] = path.split('/').filter((part) => part !== '.' && part !== '');
    if (first === attachments) throw new Error(`"${path}" is an attachment, which cannot be changed`);
  }
}
