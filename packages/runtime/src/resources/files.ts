import type { Attachment, TenantId } from '@millrace/core';
import { attachmentOf, maxAttachmentBytes, mimeTypeOf, RequestError } from '@millrace/core';
import type { Content } from '../blobs/content.ts';
import { contentOf } from '../blobs/content.ts';
import { digestOf } from '../blobs/digest.ts';
import { blobMissing } from '../blobs/long-bodies.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { AwaitingStore } from './awaited-uploads.ts';
import { isAwaited } from './awaited-uploads.ts';
import type { Upload } from './upload.ts';
import { beginUpload, ownerOfFile } from './upload.ts';

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
  /** Time of its last upload or use, accurate to half an hour; absent: none since the first upload. */
  readonly usedAt?: number;
}

/** A file for storage. */
export interface NewFile {
  readonly name: string;
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Returns the media type of contents that begin with these bytes; undefined when they do not tell. */
  readonly typeOf?: (beginning: Uint8Array) => Promise<string | undefined>;
}

/**
 * Files of a tenant. Contents are blobs that all tenants share, so a digest does not identify an owner: a file is
 * reached by its id, which only its tenant has.
 */
export interface Files {
  /**
   * Stores a file while it arrives; the same name and contents make the same file, which counts as used again. Throws
   * RequestError when it is larger than an attachment may be, or than the room that the tenant has.
   */
  add(file: NewFile): Promise<StoredFile>;
  /** Throws RequestError when the tenant has no such file. */
  find(id: string): Promise<StoredFile>;
  open(id: string): Promise<Content>;
  /**
   * Removes an upload, and takes its bytes back. Runs that have it attached keep its contents. Throws RequestError when the tenant
   * has no such file, or when a schedule or an open batch names it.
   */
  remove(id: string): Promise<StoredFile>;
  /** Returns files as the attachments of a message, in this order, and keeps them for a while from now on. */
  attachments(ids: readonly string[]): Promise<readonly Attachment[]>;
}

/** The register of a tenant's files, and what the names of all such registers begin with. */
export const filesRegister = 'files/';

/** Returns the time at which a file was last needed, as far as that is recorded. */
export const lastUseOf = ({ createdAt, usedAt = createdAt }: StoredFile): number => usedAt;

const noteUseEveryMs = 30 * 60_000;

/** Number of bytes that identify the media type. */
const beginningBytes = 4100;

/** The files of a tenant, in the registry of a store and among the blobs. */
export function createFiles(
  store: AwaitingStore,
  blobs: Pick<Blobs, 'putPieces' | 'size' | 'read' | 'touch'>,
  { tenant, maxBytes }: { readonly tenant: TenantId; readonly maxBytes: number },
): Files {
  const { registry, stored, now } = store;
  const register = `${filesRegister}${tenant}`;

  async function textOf(id: string): Promise<string> {
    const json = await registry.read(register, id);
    if (json === undefined) throw new RequestError('FILE_UNKNOWN', `There is no file ${id}.`);
    return json;
  }
  const find = async (id: string) => parsed(await textOf(id));

  /** Records that a file is used, so that it is not deleted at that moment. */
  async function use(id: string): Promise<StoredFile> {
    for (;;) {
      const before = await textOf(id);
      const file = parsed(before);
      if (now() - lastUseOf(file) < noteUseEveryMs) return file;
      const used = { ...file, usedAt: now() };
      if (await registry.exchange(register, id, { before, after: JSON.stringify(used) })) return used;
    }
  }

  return {
    find,
    async add({ name, pieces, typeOf = async () => undefined }) {
      const upload = beginUpload({ stored, now }, tenant, maxBytes);
      try {
        const watched = watch(pieces, name, upload);
        const { digest, size } = await blobs.putPieces(watched.pieces());
        const mimeType = (await typeOf(watched.beginning())) ?? mimeTypeOf(name);
        const id = idOf(name, digest);
        const file: StoredFile = { id, name, size, mimeType, digest, createdAt: now() };
        for (;;) {
          if (await registry.add(register, id, JSON.stringify(file))) {
            await upload.keep(id, size);
            return file;
          }
          const there = await use(id).catch(() => undefined);
          if (there !== undefined) return there;
        }
      } finally {
        await upload.drop();
      }
    },
    open: async (id) => contentOf(blobs, await find(id)),
    async remove(id) {
      for (;;) {
        const before = await textOf(id);
        if (await isAwaited(store, tenant, id)) throw inUse(id);
        if (!(await registry.exchange(register, id, { before, after: undefined }))) continue;
        // One that has been stored meanwhile has found the file.
        if (await isAwaited(store, tenant, id)) {
          await registry.add(register, id, before);
          throw inUse(id);
        }
        await stored.set(tenant, ownerOfFile(id), { bytes: 0, most: 0 });
        return parsed(before);
      }
    },
    async attachments(ids) {
      const files = await Promise.all(ids.map(use));
      for (const { name, digest } of files) {
        if (!(await blobs.touch(digest))) throw blobMissing(digest, `The file "${name}"`);
      }
      return files.map(({ name, ...facts }) => attachmentOf(name, facts));
    },
  };
}

const inUse = (id: string): RequestError =>
  new RequestError(
    'FILE_IN_USE',
    `A schedule or an open batch names the file ${id}. Change or remove that first, or wait until the batch has started all of its runs.`,
  );

const parsed = (json: string): StoredFile => JSON.parse(json) as StoredFile; // written by `add` and `use`

/** Returns the same id for the same file, so that a repeated upload, and a request that names it, stay the same. */
const idOf = (name: string, digest: string): string =>
  `file_${digestOf(Buffer.from(`${digest}/${name}`)).slice(0, 32)}`;

/** Passes pieces on up to the size limit while there is room for them, and keeps the beginning. */
function watch(pieces: AsyncIterable<Uint8Array>, name: string, upload: Pick<Upload, 'reserve'>) {
  const kept: Uint8Array[] = [];
  let size = 0;
  return {
    async *pieces(): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces) {
        if (size < beginningBytes) kept.push(piece);
        size += piece.length;
        if (size > maxAttachmentBytes) throw tooLarge(name);
        await upload.reserve(size);
        yield piece;
      }
    },
    beginning: (): Uint8Array => Buffer.concat(kept).subarray(0, beginningBytes),
  };
}

const tooLarge = (name: string): RequestError =>
  new RequestError(
    'ATTACHMENT_TOO_LARGE',
    `"${name}" is too large: an attachment may have ${maxAttachmentBytes.toLocaleString('en')} bytes.`,
  );
