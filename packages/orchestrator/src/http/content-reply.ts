import { Readable } from 'node:stream';
import { RequestError } from '@millrace/core';
import type { Content, ContentStream } from '@millrace/runtime';
import contentDisposition from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import parseRange from 'range-parser';
import { z } from 'zod';

/** Headers that request a part of contents, or contents only if they have changed. */
export const PartHeaders = z.object({
  range: z.string().optional().describe('A part, as in `bytes=0-1023`. Several parts at once are given whole.'),
  'if-range': z.string().optional().describe('The ETag that the part is to be of; else all is sent.'),
  'if-none-match': z.string().optional(),
});

/** Responses of a route that returns contents. */
export const contentResponses = {
  200: {
    description: 'The contents.',
    content: {
      'application/octet-stream': { schema: z.custom<Readable>().meta({ type: 'string', format: 'binary' }) },
    },
  },
  206: {
    description: 'The part that was asked for.',
    content: {
      'application/octet-stream': { schema: z.custom<Readable>().meta({ type: 'string', format: 'binary' }) },
    },
  },
  304: z.undefined().describe('They are as If-None-Match says.'),
} as const;

/** Content security policy of contents: a browser that shows them anyway executes nothing and loads nothing. */
const policy = "sandbox; default-src 'none'";

/**
 * Sends contents, or the requested part of them, as a file to be saved and never as a page to be shown, nor as a part of one: a
 * script or a style sheet that an agent has written is plain text, which no page of this origin executes.
 */
export function sendContent(request: FastifyRequest, reply: FastifyReply, content: Content): FastifyReply {
  const tag = `"${content.digest}"`;
  const part = partOf(request, reply, content);
  asFile(reply, content).header('etag', tag).header('accept-ranges', 'bytes');
  if (namesTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
  const { from, to } = part ?? { from: 0, to: content.size };
  if (part !== undefined) reply.code(206).header('content-range', `bytes ${from}-${to - 1}/${content.size}`);
  return reply
    .type(inertType(content.mimeType))
    .header('content-length', to - from)
    .send(Readable.from(content.read(from, to), { objectMode: false }));
}

/** Sends contents that are made meanwhile, as a file to be saved. */
export const sendStream = (reply: FastifyReply, stream: ContentStream): FastifyReply =>
  asFile(reply, stream)
    .type(inertType(stream.mimeType))
    .send(Readable.from(stream.pieces, { objectMode: false }));

/** Sets the headers of a file to be saved. */
const asFile = (reply: FastifyReply, { name }: Pick<Content, 'name'>): FastifyReply =>
  reply
    .header('cache-control', 'private, no-cache')
    .header('content-disposition', contentDisposition(name))
    .header('content-security-policy', policy)
    .header('x-content-type-options', 'nosniff');

/** Returns a media type for contents that pages must not use as code. */
function inertType(type: string): string {
  if (type.length > longestType || !wellFormed.test(type)) return 'application/octet-stream';
  return isActive(type) ? 'text/plain; charset=utf-8' : type;
}

const longestType = 200;

/**
 * A media type as RFC 9110 has it. Servers of tools name any type, and browsers find one in texts that are none: of
 * `text/javascript,x` they take the part before the comma.
 */
const wellFormed = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?: ?; ?[\w!#$&^.+-]+=(?:[\w!#$&^.+:/-]+|"[\w !#$&^.+:;/=-]*"))*$/;

/** Tests if a browser executes contents of a media type, or applies them to a page: scripts, style sheets, documents with scripts. */
const isActive = (type: string): boolean => {
  const [essence = ''] = type.toLowerCase().split(';', 1);
  // Images are drawn, and the policy above confines one that is opened by itself.
  return activeTypes.test(essence.trim()) && essence.trim() !== 'image/svg+xml';
};

const activeTypes =
  /(?:ecma|java|live|j)script|^text\/(?:css|html|xml|xsl)$|^application\/(?:xml|wasm|manifest\+json)$|\+xml$/;

/** Returns the requested part; undefined for the whole contents. Throws RequestError if there is no such part. */
function partOf(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { size, digest }: Content,
): { readonly from: number; readonly to: number } | undefined {
  const { range, 'if-range': only } = headers;
  if (range === undefined || (only !== undefined && only !== `"${digest}"`)) return undefined;
  const ranges = parseRange(size, range, { combine: true });
  if (ranges === -1) {
    reply.header('content-range', `bytes */${size}`);
    throw new RequestError('RANGE_INVALID', `The content has ${size} bytes; there is no part "${range}".`);
  }
  const [part] = ranges === -2 || ranges.type !== 'bytes' || ranges.length > 1 ? [] : ranges;
  return part === undefined ? undefined : { from: part.start, to: part.end + 1 };
}

/** Returns whether an `If-None-Match` header contains a tag: alone, in a list, as a weak one, or by `*`. */
export const namesTag = (header: string | undefined, tag: string): boolean =>
  header?.trim() === '*' || header?.split(',').some((one) => one.trim().replace(/^W\//, '') === tag) === true;
