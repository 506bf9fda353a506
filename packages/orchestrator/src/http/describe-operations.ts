import type { Operation } from '@millrace/api';
import { operations, resourceOf, resources } from '@millrace/api';
import type { OpenAPIV3_1 } from 'openapi-types';

const methods = ['get', 'put', 'post', 'patch', 'delete'] as const;

/** Returns an OpenAPI document with the operations grouped by their resources, and with names and examples of bodies. */
export function describeOperations(document: OpenAPIV3_1.Document): OpenAPIV3_1.Document {
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
