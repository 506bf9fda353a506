import type { Attachment, TenantId } from '@millrace/core';
import { attachmentOf, largestAttachment, mimeTypeOf, RequestError } from '@millrace/core';
import { digestOf } from './blobs/digest.ts';
import type { Blobs } from './blobs/port.ts';
import type { Content } from './content.ts';
import { contentOf } from './content.ts';
import type { Store } from './store/port.ts';

/** A file that was uploaded, to be attached to tasks and answers. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly mimeType: string;
  /** The sha256 of its contents in hex. */
  readonly digest: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A file that is to be kept. */
export interface NewFile {
  readonly name: string;
  readonly pieces: AsyncIterable<Uint8Array>;
  /** The media type of contents that begin like this; undefined when they do not tell. */
  readonly typeOf?: (beginning: Uint8Array) => Promise<string | undefined>;
}

/**
 * The files of a tenant. What they hold is shared among the blobs by everybody, so a digest says nothing about whose it
 * is: a file is reached by its id, which only its tenant has.
 */
export interface Files {
  /** Keeps a file as it comes; the same name and contents are the same file. Throws RequestError when it is larger than an attachment may be. */
  add(file: NewFile): Promise<StoredFile>;
  /** Throws RequestError when the tenant has no such file. */
  find(id: string): Promise<StoredFile>;
  open(id: string): Promise<Content>;
  /** Files as the attachments of a message, in this order. */
  attachments(ids: readonly string[]): Promise<readonly Attachment[]>;
}

/** Bytes that are enough to know a file by. */
const beginningBytes = 4100;

/** The files of a tenant, in the registry of a store and among the blobs. */
export function createFiles(
  { registry, now }: Pick<Store, 'registry' | 'now'>,
  blobs: Pick<Blobs, 'putPieces' | 'size' | 'read'>,
  tenant: TenantId,
): Files {
  const register = `files/${tenant}`;

  async function find(id: string): Promise<StoredFile> {
    const json = await registry.read(register, id);
    if (json === undefined) throw new RequestError('FILE_UNKNOWN', `There is no file ${id}.`);
    return JSON.parse(json) as StoredFile; // written by `add`
  }

  return {
    find,
    async add({ name, pieces, typeOf = async () => undefined }) {
      const watched = watch(pieces, name);
      const { digest, size } = await blobs.putPieces(watched.pieces());
      const mimeType = (await typeOf(watched.beginning())) ?? mimeTypeOf(name);
      const id = idOf(name, digest);
      const file: StoredFile = { id, name, size, mimeType, digest, createdAt: now() };
      return (await registry.add(register, id, JSON.stringify(file))) ? file : find(id);
    },
    open: async (id) => contentOf(blobs, await find(id)),
    async attachments(ids) {
      const files = await Promise.all(ids.map(find));
      return files.map(({ name, ...facts }) => attachmentOf(name, facts));
    },
  };
}

/** The same for the same file, so that an upload that is sent again, and a request that names it, stay what they were. */
const idOf = (name: string, digest: string): string =>
  `file_${digestOf(Buffer.from(`${digest}/${name}`)).slice(0, 32)}`;

/** Passes pieces on as long as they are not too many, and keeps the beginning. */
function watch(pieces: AsyncIterable<Uint8Array>, name: string) {
  const kept: Uint8Array[] = [];
  let size = 0;
  return {
    async *pieces(): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces) {
        if (size < beginningBytes) kept.push(piece);
        size += piece.length;
        if (size > largestAttachment) throw tooLarge(name);
        yield piece;
      }
    },
    beginning: (): Uint8Array => Buffer.concat(kept).subarray(0, beginningBytes),
  };
}

const tooLarge = (name: string): RequestError =>
  new RequestError(
    'ATTACHMENT_TOO_LARGE',
    `"${name}" is too large: an attachment may have ${largestAttachment.toLocaleString('en')} bytes.`,
  );
