import type { ActivationId, RunId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { Content } from '../blobs/content.ts';
import { contentOf } from '../blobs/content.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { InboxSource } from './inbox.ts';
import { findTask } from './inbox.ts';

/** A file in the input of a question. */
interface TaskAttachment {
  readonly run: RunId;
  readonly activation: ActivationId;
  readonly id: string;
}

/** Returns the content of a file in the input of an open question. Throws RequestError when there is no such file. */
export async function openTaskAttachment(
  source: InboxSource & { readonly blobs: Blobs },
  { run, activation, id }: TaskAttachment,
): Promise<Content> {
  const { attachments = [] } = await findTask(source, run, activation);
  const file = attachments.find((one) => one.id === id);
  if (file?.digest === undefined)
    throw new RequestError('FILE_UNKNOWN', `The question ${run}.${activation} has no file ${id} to download.`);
  return contentOf(source.blobs, { name: file.name, mimeType: file.mimeType, digest: file.digest });
}
