import type { Client, RequestOptions } from '../client.ts';
import type { File as UploadedFile } from '../generated/schemas.ts';

/** Content of an upload: a file of the platform, bytes, or a text. */
export type Uploadable = Blob | Uint8Array<ArrayBuffer> | string;

/** Files that are attached to tasks and answers. */
export interface FilesResource {
  /** Uploads a file; the same content is stored once. `name` defaults to the one of a `File`. A text is the content, not a path. */
  upload(content: Uploadable, options?: { readonly name?: string } & RequestOptions): Promise<UploadedFile>;
  /** Removes an uploaded file; runs that have it attached keep its content. Rejects with `FILE_IN_USE` while a schedule or an open batch names it. */
  remove(id: string, options?: RequestOptions): Promise<UploadedFile>;
  /** Returns the contents of a file. */
  download(id: string, options?: RequestOptions): Promise<Blob>;
}

/** Returns the methods of files. */
export const createFilesResource = (client: Client): FilesResource => ({
  async upload(content, { name, signal } = {}) {
    const blob = content instanceof Blob ? content : new Blob([content]);
    const named = 'name' in blob && typeof blob.name === 'string' ? blob.name : 'file';
    return client.call('files.upload', { file: { name: name ?? named, content: blob } }, { signal });
  },
  remove: (id, options) => client.call('files.remove', { id }, options),
  download: (id, options) => client.content('files.get', { id }, options),
});

/** Returns the id of a file. */
export const fileIdOf = (file: string | { readonly id: string }): string => (typeof file === 'string' ? file : file.id);
