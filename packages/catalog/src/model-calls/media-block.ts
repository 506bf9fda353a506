import { createHash } from 'node:crypto';
import type { Block } from '@millrace/core';
import { attachmentBlock } from '@millrace/core';

/** A picture, recording or file that a model has made, as the part of a message that it is. */
export function mediaBlock({ mimeType, base64 }: { readonly mimeType: string; readonly base64: string }): Block {
  const id = createHash('sha256').update(base64).digest('hex').slice(0, 32);
  const [kind = 'file', type = 'bin'] = mimeType.split(/[;+]/)[0]?.split('/') ?? [];
  return attachmentBlock({
    id,
    name: `${kind}.${extensions.get(type) ?? type}`,
    mimeType,
    uri: `data:${mimeType};base64,${base64}`,
  });
}

/** Where the usual ending of a file is not that of its type. */
const extensions: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    mpeg: 'mp3',
    'x-wav': 'wav',
    plain: 'txt',
    'octet-stream': 'bin',
  }),
);
