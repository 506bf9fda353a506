import type { Content } from '@millrace/runtime';
import { z } from 'zod';
import { operation } from '../operation/operation.ts';
import { FilePath, fileOf, UploadedFile } from '../schemas/file.ts';

export const uploadFile = operation({
  name: 'files.upload',
  method: 'POST',
  path: '/v1/files',
  sharesPath: true,
  scope: ['run', 'answer'],
  summary: 'Upload a file, to be attached to tasks and answers',
  output: UploadedFile,
  status: 201,
  idempotency: 'needless',
  upload: 'required',
  async run({ tenant, mediaTypeOf }, { file: { name, pieces } }) {
    const file = fileOf(await tenant.files.add({ name, pieces, typeOf: mediaTypeOf }));
    return { body: file, headers: { location: `/v1/files/${file.id}` } };
  },
});

export const openFile = operation({
  name: 'files.get',
  method: 'GET',
  path: '/v1/files/:id',
  sharesPath: true,
  scope: 'read',
  summary: 'The content of an uploaded file',
  params: FilePath,
  output: z.custom<Content>(),
  kind: 'content',
  run: async ({ tenant }, { id }) => ({ body: await tenant.files.open(id) }),
});

export const removeFile = operation({
  name: 'files.remove',
  method: 'DELETE',
  path: '/v1/files/:id',
  scope: 'run',
  summary: 'Remove an uploaded file; runs that have it attached keep its content',
  params: FilePath,
  output: UploadedFile,
  run: async ({ tenant }, { id }) => ({ body: fileOf(await tenant.files.remove(id)) }),
});
