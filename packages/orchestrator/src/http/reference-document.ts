import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { Operation } from '@millrace/api';
import { operations, resourceOf, resources } from '@millrace/api';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { OpenAPIV3_1 } from 'openapi-types';
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

const methods = ['get', 'put', 'post', 'patch', 'delete'] as const;

/** Returns an OpenAPI document with the operations grouped by their resources, and with names and examples of bodies. */
function describeOperations(document: OpenAPIV3_1.Document): OpenAPIV3_1.Document {
  const known = new Map(operations.map((operation) => [`${operation.method} ${templateOf(operation)}`, operation]));
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => {
    const described = methods.flatMap((method) => {
      const route = item?.[method];
      return route === undefined ? [] : [[method, describe(route, path, known.get(`${method.toUpperCase()} ${path}`))]];
    });
    return [path, { ...item, ...Object.fromEntries(described) }] as const;
  });
  const tags = Object.entries(resources).map(([name, description]) => ({ name, description }));
  return { ...document, tags, paths: Object.fromEntries(paths) };
}

const templateOf = ({ path }: Operation): string => path.replaceAll(/:(\w+)/g, '{$1}');

function describe(route: OpenAPIV3_1.OperationObject, path: string, operation: Operation | undefined) {
  const [, , resource = 'server'] = path.split('/');
  if (operation === undefined) return { ...route, tags: [resource in resources ? resource : 'server'] };
  const named = { ...route, operationId: operation.name, tags: [resourceOf(operation)] };
  return operation.example === undefined ? named : { ...named, requestBody: withExample(route, operation.example) };
}

/** The body of a request with an example of its JSON, or of its fields when it has to bring a file. */
function withExample({ requestBody }: OpenAPIV3_1.OperationObject, example: unknown) {
  const { content = {}, ...body } = (requestBody ?? {}) as OpenAPIV3_1.RequestBodyObject; // operations have bodies of their own
  const form = 'multipart/form-data';
  const type = form in content && !('application/json' in content) ? form : 'application/json';
  return { ...body, content: { ...content, [type]: { ...content[type], example } } };
}
