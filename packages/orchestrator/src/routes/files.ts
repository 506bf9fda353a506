import multipart from '@fastify/multipart';
import { FilePath, fileOf, problems, UploadedFile, UploadForm } from '@millrace/api';
import { maxAttachmentBytes, RequestError } from '@millrace/core';
import type { StoredFile, TenantRuntime } from '@millrace/runtime';
import type { FastifyRequest } from 'fastify';
import { fileTypeFromBuffer } from 'file-type';
import { contentResponses, PartHeaders, sendContent } from '../http/content-reply.ts';
import type { Server } from '../http/server.ts';

/** Files that go with tasks and answers. */
export function addFileRoutes(server: Server): void {
  // In a context of its own: no other route takes multipart bodies.
  void server.register((scope, _options, done) => {
    void scope.register(multipart, { limits: { files: 1, fields: 10, parts: 11, fileSize: maxAttachmentBytes + 1 } });
    addUpload(scope as unknown as Server); // it is this server, seen from a context of its own
    done();
  });
  server.get(
    '/v1/files/:id',
    {
      config: { requiredScope: 'read' },
      schema: {
        summary: 'What is in a file that was uploaded',
        params: FilePath,
        headers: PartHeaders,
        response: { ...contentResponses, ...problems },
      },
    },
    async (request, reply) => sendContent(request, reply, await request.caller.tenant.files.open(request.params.id)),
  );
}

function addUpload(server: Server): void {
  server.post(
    '/v1/files',
    {
      config: { requiredScope: ['run', 'answer'], replay: 'needless' },
      schema: {
        summary: 'Upload a file, to be attached to tasks and answers',
        description: 'As multipart/form-data with one part, which is a file. It may have 32 MiB.',
        consumes: ['multipart/form-data'],
        body: UploadForm,
        response: { 201: UploadedFile, ...problems },
      },
    },
    async (request, reply) => {
      const file = await receive(request, request.caller.tenant);
      return reply.code(201).header('location', `/v1/files/${file.id}`).send(fileOf(file));
    },
  );
}

async function receive(request: FastifyRequest, { files }: TenantRuntime): Promise<StoredFile> {
  if (!request.isMultipart()) {
    throw new RequestError('MEDIA_TYPE_UNKNOWN', 'Send the file as multipart/form-data, as `curl -F file=@PATH` does.');
  }
  let stored: StoredFile | undefined;
  // Read to its end, where a second file would be refused.
  for await (const part of request.files()) {
    stored = await files.add({
      name: part.filename || 'file',
      pieces: part.file,
      typeOf: async (beginning) => (await fileTypeFromBuffer(beginning))?.mime,
    });
  }
  if (stored === undefined) throw new RequestError('FILE_MISSING', 'No part of this request is a file.');
  return stored;
}
