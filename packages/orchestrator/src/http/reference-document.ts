import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { OpenAPIV3_1 } from 'openapi-types';
import { describeOperations } from './describe-operations.ts';
import { acceptsIdempotencyKey } from './idempotent-routes.ts';

/** Options of the document of all routes, which is made of the routes' declarations and common parts. */
export const referenceDocument: FastifyDynamicSwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: { title: 'Millrace', description: 'Starts, follows and answers runs of workflows.', version: '1' },
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, or a token of the identity provider that the server trusts. A server of this machine only asks for none as long as there are no keys.',
        },
      },
    },
    security: [{ key: [] }],
  },
  transform(document) {
    const { schema, url } = jsonSchemaTransform(document);
    const { config = {}, method } = document.route;
    if (schema.hide === true) return { schema, url };
    const open = config.requiredScope === 'nobody' ? { security: [] } : {};
    const keyed = [method].flat().some((one) => acceptsIdempotencyKey(one, config));
    return { schema: { ...schema, ...open, ...(keyed ? { headers: withKey(schema.headers) } : {}) }, url };
  },
  // The document is of version 3.1, as said above.
  transformObject: (document) => describeOperations(jsonSchemaTransformObject(document) as OpenAPIV3_1.Document),
};

/** Schema of the headers of a request. */
interface Headers {
  readonly properties?: Readonly<Record<string, object>>;
}

function withKey(headers: unknown = { type: 'object' }): object {
  const { properties, ...rest } = headers as Headers; // made of an object of zod
  return { ...rest, properties: { ...properties, 'Idempotency-Key': idempotencyKey } };
}

const idempotencyKey = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'Sent again with the same key within a day, the request gets the first answer and is not carried out again.',
};
