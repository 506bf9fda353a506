import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import swagger from '@fastify/swagger';
import type { FastifyInstance, RawServerDefault } from 'fastify';
import Fastify from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import {
  jsonSchemaTransform,
  jsonSchemaTransformObject,
  serializerCompiler,
  validatorCompiler,
} from 'fastify-type-provider-zod';
import type { OpenAPIV3_1 } from 'openapi-types';
import type { Logger } from 'pino';
import { replyNotFound, replyWithProblem } from './problem.ts';
import { referencePage } from './reference-page.ts';
import { traceOf } from './trace-context.ts';

/** A workflow may have 2 MiB; escaped as JSON it is longer. */
const bodyLimit = 4 * 1024 * 1024;

/** A server without routes: what holds for all of them. */
export async function createServer(log: Logger): Promise<Server> {
  const server = Fastify({
    loggerInstance: log,
    bodyLimit,
    genReqId: ({ headers }) => acceptableId(headers['x-request-id']) ?? randomUUID(),
    routerOptions: { maxParamLength: 256 },
  }).withTypeProvider<ZodTypeProvider>();
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  server.setErrorHandler<Error>(replyWithProblem);
  server.setNotFoundHandler(replyNotFound);
  server.removeContentTypeParser('text/plain');
  server.addHook('onRequest', async ({ id, headers }, reply) => {
    reply.header('x-request-id', id);
    const trace = traceOf(headers);
    if (trace !== undefined) reply.header('traceparent', trace);
  });
  server.decorateRequest('caller');
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Millrace', description: 'Starts, follows and answers runs of workflows.', version: '1' },
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  return server;
}

/** Says what all routes are like. */
export function addDescription(server: Server): void {
  server.get('/openapi.json', { schema: { hide: true }, config: { demand: 'nobody' } }, async () => server.swagger());
  server.get('/docs', { schema: { hide: true }, config: { demand: 'nobody' } }, async (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(referencePage(described(server))),
  );
}

/** The server as its routes see it. */
export type Server = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, Logger, ZodTypeProvider>;

function acceptableId(given: string | string[] | undefined): string | undefined {
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : undefined;
}

/** The document of all routes. It is OpenAPI 3.1, as `createServer` has it. */
const described = (server: Server): OpenAPIV3_1.Document => server.swagger() as OpenAPIV3_1.Document;
