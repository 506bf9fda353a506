import multipart from '@fastify/multipart';
import type { OperationResult, OperatorContext, UploadedContent } from '@millrace/api';
import { FilePath, openFile, problems, UploadedFile, UploadForm, uploadFile } from '@millrace/api';
import { maxAttachmentBytes, RequestError } from '@millrace/core';
import type { FastifyRequest } from 'fastify';
import type { RouteContext } from '../context/route-context.ts';
import { contextFor } from '../http/add-operations.ts';
import { contentResponses, PartHeaders, sendContent } from '../http/content-reply.ts';
import type { Server } from '../http/server.ts';

/** Adds the routes of files that are attached to tasks and answers. */
export function addFileRoutes(server: Server, api: RouteContext): void {
  // In a separate context, because no other route accepts multipart bodies.
  void server.register((scope, _options, done) => {
    void scope.register(multipart, { limits: { files: 1, fields: 10, parts: 11, fileSize: maxAttachmentBytes + 1 } });
    addUpload(scope as unknown as Server, api); // it is this server, seen from a separate context
    done();
  });
  server.get(
    '/v1/files/:id',
    {
      config: { requiredScope: openFile.scope },
      schema: {
        summary: openFile.summary,
        params: FilePath,
        headers: PartHeaders,
        response: { ...contentResponses, ...problems },
      },
    },
    async (request, reply) => {
      const { body } = await openFile.run(contextFor(api, request, reply), request.params);
      return sendContent(request, reply, body);
    },
  );
}

function addUpload(server: Server, api: RouteContext): void {
  server.post(
    '/v1/files',
    {
      config: { requiredScope: uploadFile.scope, replay: 'needless', storesBody: true },
      schema: {
        summary: uploadFile.summary,
        description: 'As multipart/form-data with one part, which is a file. It may have 32 MiB.',
        consumes: ['multipart/form-data'],
        body: UploadForm,
        response: { 201: UploadedFile, ...problems },
      },
    },
    async (request, reply) => {
      const { body, headers = {} } = await receive(request, contextFor(api, request, reply));
      return reply.code(201).headers(headers).send(body);
    },
  );
}

async function receive(request: FastifyRequest, context: OperatorContext): Promise<OperationResult<UploadedFile>> {
  if (!request.isMultipart()) {
    throw new RequestError('MEDIA_TYPE_UNKNOWN', 'Send the file as multipart/form-data, as `curl -F file=@PATH` does.');
  }
  let stored: OperationResult<UploadedFile> | undefined;
  // Read to the end, so that a second file is refused.
  for await (const { filename, file } of request.files()) {
    const uploaded: UploadedContent = { name: filename || 'file', pieces: file };
    stored = await uploadFile.run(context, { file: uploaded });
  }
  if (stored === undefined) throw new RequestError('FILE_MISSING', 'The request contains no file.');
  return stored;
}
