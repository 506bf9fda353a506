import type { UploadedFile } from '@millrace/api';
import type { Http } from '../http/http.ts';

/** What may be uploaded: a file of the platform, bytes, or a text. */
export type Uploadable = Blob | Uint8Array<ArrayBuffer> | string;

/** Files that go with tasks and answers. */
export interface FilesResource {
  /** Keeps contents under a name, once however often they are sent; the name of a `File` unless one is given. A text is content, not a path. */
  upload(
    content: Uploadable,
    options?: { readonly name?: string; readonly signal?: AbortSignal },
  ): Promise<UploadedFile>;
  /** The contents of a file. */
  download(id: string): Promise<Blob>;
}

/** The files of a tenant. */
export const createFilesResource = (http: Http): FilesResource => ({
  async upload(content, { name, signal } = {}) {
    const blob = content instanceof Blob ? content : new Blob([content]);
    const named = 'name' in blob && typeof blob.name === 'string' ? blob.name : 'file';
    const form = new FormData();
    form.set('file', blob, name ?? named);
    return http.json('v1/files', { method: 'POST', form, send: 'freely', signal, extraTimeoutMs: uploadTimeoutMs });
  },
  download: async (id) => (await http.request(`v1/files/${encodeURIComponent(id)}`)).blob(),
});

/** What a slow line needs for the largest file. */
export const uploadTimeoutMs = 10 * 60_000;

/** A file, or the id of one, as a request names it. */
export const fileIdOf = (file: string | { readonly id: string }): string => (typeof file === 'string' ? file : file.id);
