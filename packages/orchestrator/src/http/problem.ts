import { STATUS_CODES } from 'node:http';
import type { Problem } from '@millrace/api';
import { malformed, problemDetailsOf, Refused } from '@millrace/api';
import { statusOf } from '@millrace/api/codes';
import { omitUndefined, RequestError } from '@millrace/core';
import { withOutage } from '@millrace/runtime';
import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import type { z } from 'zod';

type Trouble = Pick<Problem, 'status' | 'code' | 'detail' | 'errors'>;

/** Codes of requests that the server refuses before a route handles them. */
const refusedByServer: Readonly<Record<number, string>> = {
  413: 'BODY_TOO_LARGE',
  415: 'MEDIA_TYPE_UNKNOWN',
};

/** Sends the response to a failed request. Only unexpected errors are logged. */
export function replyWithProblem(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = withOutage(error);
  const trouble = troubleOf(known instanceof Error ? known : error, request);
  if (trouble.status === 500) request.log.error({ err: error }, 'a request failed');
  return send(reply, request, trouble);
}

/** Sends the response to a request that no route matches. */
export function replyNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const detail = `There is nothing at ${request.method} ${pathOf(request)}. /openapi.json lists what there is.`;
  return send(reply, request, { status: 404, code: 'ROUTE_UNKNOWN', detail });
}

function send(reply: FastifyReply, request: FastifyRequest, { status, code, detail, errors }: Trouble): FastifyReply {
  const problem: Problem = omitUndefined({
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    instance: pathOf(request),
    code,
    requestId: request.id,
    errors,
  });
  // RFC 9110 requires the authentication scheme in the response.
  if (status === 401) reply.header('www-authenticate', `${schemeOf(request)} realm="millrace"`);
  if (status === 503 || code === 'IDEMPOTENCY_IN_FLIGHT') reply.header('retry-after', '1');
  // Whatever the route has said of its contents: an error is not kept in the place of a file that appears later.
  reply.header('cache-control', 'no-store');
  return reply.code(status).type('application/problem+json').send(JSON.stringify(problem));
}

const schemeOf = ({ routeOptions }: FastifyRequest): string =>
  routeOptions.config.browser === true ? 'Basic' : 'Bearer';

const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0] ?? '';

function troubleOf(error: FastifyError | Error, request: FastifyRequest): Trouble {
  if (hasZodFastifySchemaValidationErrors(error)) {
    const errors = problemDetailsOf(error.validation.map(issueOf), schemaOf(request, error.validationContext));
    const { code, message: detail } = malformed(error.validationContext ?? 'request', errors);
    return { status: 400, code, detail, errors: [...errors] };
  }
  if (error instanceof RequestError) {
    const errors = error instanceof Refused ? { errors: [...error.errors] } : {};
    return { status: statusOf(error.code), code: error.code, detail: error.message, ...errors };
  }
  const form = formTrouble(error);
  if (form !== undefined) return { status: 400, code: 'REQUEST_INVALID', detail: form };
  const status = 'statusCode' in error && error.statusCode !== undefined ? error.statusCode : 500;
  if (status >= 500)
    return { status: 500, code: 'INTERNAL', detail: 'The server had an internal error; its log has the details.' };
  const code = refusedByServer[status] ?? 'REQUEST_INVALID';
  const detail = code === 'MEDIA_TYPE_UNKNOWN' ? mediaTypeOf(request) : error.message;
  return { status: code === 'REQUEST_INVALID' ? 400 : status, code, detail };
}

/** Returns the schema of the part of a request that is invalid. */
const schemaOf = ({ routeOptions }: FastifyRequest, part: string | undefined): z.ZodType | undefined =>
  // The routes of this server have schemas of zod.
  (routeOptions.schema as Readonly<Record<string, z.ZodType | undefined>> | undefined)?.[part ?? 'body'];

/** Returns a problem that the validator of routes found, as the schema reported it. */
const issueOf = ({ instancePath, message = 'is invalid', params }: FastifySchemaValidationError) => ({
  path: instancePath.split('/').filter((key) => key !== ''),
  message,
  keys: params['keys'] as string[] | undefined, // of an issue about unknown keys
});

/** Maximum number of characters of a content type that is repeated. */
const longestType = 100;

/** Returns why the content type of a request is refused, and how curl sends another one. */
function mediaTypeOf({ headers }: FastifyRequest): string {
  const type = headers['content-type'];
  const reason = type === undefined ? 'has no content type' : `has the content type ${type.slice(0, longestType)}`;
  return `The body ${reason}. Send JSON as application/json: with curl, --json '…' in place of -d '…', or -H 'content-type: application/json'. Files are sent with -F file=@FILE.`;
}

/**
 * Returns the problem of a form that could not be read, for its sender; undefined for any other error. The parser of
 * forms throws plain errors, which are recognised by their messages.
 */
function formTrouble(error: Error & { readonly code?: string }): string | undefined {
  if (error.code === 'FST_FILES_LIMIT') return 'The form has more than one file. Send one at a time.';
  if (error.code === 'FST_PARTS_LIMIT' || error.code === 'FST_FIELDS_LIMIT') return 'The form has too many fields.';
  if (/^Multipart: Boundary not found$/.test(error.message)) {
    return 'The content type names no boundary, as that of multipart/form-data must. Let your HTTP client write it.';
  }
  return brokenOff.test(error.message) ? 'The form is no multipart/form-data, or it was broken off.' : undefined;
}

const brokenOff = /^(Unexpected end of multipart data|\w+ terminated early due to unexpected end of multipart data)$/;
