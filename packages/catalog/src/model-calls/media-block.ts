import { createHash } from 'node:crypto';
import type { Block } from '@millrace/core';
import { attachmentBlock } from '@millrace/core';

/** Returns an image, recording or file of a model as a block of a message. */
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

/** File extensions that differ from the name of the media type. */
const extensions: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    mpeg: 'mp3',
    'x-wav': 'wav',
    plain: 'txt',
    'octet-stream': 'bin',
  }),
);
