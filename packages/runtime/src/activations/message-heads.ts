import type { MessageId, MessageRef, RunId } from '@millrace/core';
import { carriedData, omitUndefined, textOf } from '@millrace/core';
import { digestOf } from '../blobs/digest.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Store, StoredBody } from '../ports/store/port.ts';

/** Beginning of a message. */
export interface MessageHead {
  readonly id: MessageId;
  /** First characters of its text. */
  readonly text: string;
  /** Size of the whole message in bytes. */
  readonly size: number;
  /** Structured data that it carries, unless the message is long. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** SHA-256 of the whole message, which is the same for equal messages of all runs. */
  readonly digest: string;
}

/** Sources of message heads. */
export interface HeadSource {
  readonly store: Pick<Store, 'bodies'>;
  readonly blobs: Pick<Blobs, 'size' | 'read'>;
}

/**
 * Returns the beginnings of messages, in the order of their references. Of a long message, which is a blob, only the
 * beginning is read.
 */
export async function readHeads(
  { store, blobs }: HeadSource,
  run: RunId,
  { refs, chars }: { readonly refs: readonly Pick<MessageRef, 'id'>[]; readonly chars: number },
): Promise<readonly MessageHead[]> {
  const ids = refs.map(({ id }) => id);
  const bodies = await store.bodies(run, ids);
  return Promise.all(
    ids.map(async (id, at) => ({ id, ...(await headOf(blobs, bodies[at] ?? { role: 'user', content: '' }, chars)) })),
  );
}

/** Size of the longest message whose data are part of its head, in bytes. */
const mostDataBytes = 8192;

async function headOf(blobs: HeadSource['blobs'], body: StoredBody, chars: number): Promise<Omit<MessageHead, 'id'>> {
  if (!('blob' in body)) {
    const json = Buffer.from(JSON.stringify(body));
    const data = json.length > mostDataBytes ? undefined : carriedData(body);
    return {
      text: textOf(body).slice(0, chars),
      size: json.length,
      digest: digestOf(json),
      ...omitUndefined({ data }),
    };
  }
  const size = (await blobs.size(body.blob)) ?? 0;
  if (chars === 0) return { text: '', size, digest: body.blob };
  // A character takes at most six bytes of JSON; the fields before the text are short.
  const beginning = await beginningOf(blobs, body.blob, Math.min(size, 6 * chars + 512));
  return { text: textIn(beginning).slice(0, chars), size, digest: body.blob };
}

async function beginningOf(blobs: HeadSource['blobs'], digest: string, bytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of blobs.read(digest, 0, bytes)) text += decoder.decode(piece, { stream: true });
  return text;
}

/** Returns the text in the beginning of a message in JSON: its whole content, or its first text block. */
function textIn(json: string): string {
  const [, escaped = ''] = /"(?:content|text)":"((?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-f]{4}))*)/i.exec(json) ?? [];
  return JSON.parse(`"${escaped}"`) as string; // the pattern admits the inside of a string
}
