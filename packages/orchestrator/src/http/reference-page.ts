import type { OpenAPIV3_1 } from 'openapi-types';

/** Returns a page for people about an OpenAPI document: plain HTML, without scripts and without further requests. */
export function referencePage({ info, paths = {}, components }: OpenAPIV3_1.Document): string {
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item?.[method];
      return operation === undefined ? [] : [route({ method, path, operation })];
    }),
  );
  const schemas = Object.entries(components?.schemas ?? {}).map(
    ([name, schema]) => `<section id="${text(name)}"><h3>${text(name)}</h3>${code(schema)}</section>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(info.title)} API</title>
<style>${style}</style>
<h1>${text(info.title)} API, version ${text(info.version)}</h1>
<p>${text(info.description ?? '')} The same for programs: <a href="/openapi.json">/openapi.json</a>.</p>
<h2>Routes</h2>
${routes.join('\n')}
<h2>Shapes</h2>
${schemas.join('\n')}
</html>
`;
}

const methods = ['get', 'put', 'post', 'patch', 'delete'] as const;

interface Route {
  readonly method: (typeof methods)[number];
  readonly path: string;
  readonly operation: OpenAPIV3_1.OperationObject;
}

function route({ method, path, operation }: Route): string {
  const { summary = '', description, parameters = [], requestBody, responses = {} } = operation;
  return `<details><summary><b>${method.toUpperCase()}</b> <code>${text(path)}</code> ${text(summary)}</summary>
${description === undefined ? '' : `<p>${text(description)}</p>`}
${parameters.length === 0 ? '' : `<h4>Parameters</h4><ul>${parameters.map(parameter).join('')}</ul>`}
${requestBody === undefined ? '' : `<h4>Body</h4>${code(requestBody)}`}
${Object.entries(responses).map(response).join('\n')}
</details>`;
}

function parameter(given: OpenAPIV3_1.ParameterObject | OpenAPIV3_1.ReferenceObject): string {
  if ('$ref' in given) return `<li>${code(given)}</li>`;
  const { name, in: place, required, description, schema } = given;
  const must = required ? ', required' : '';
  return `<li><code>${text(name)}</code> (${text(place)}${must}) ${text(description ?? '')}${code(schema)}</li>`;
}

const response = ([status, given]: readonly [string, OpenAPIV3_1.ResponseObject | OpenAPIV3_1.ReferenceObject]) =>
  `<h4>${text(status)}</h4>${code(given)}`;

/** Returns a part of the document as text, with links to the schemas that it names. */
const code = (piece: unknown): string =>
  `<pre>${text(JSON.stringify(piece, null, 2) ?? '').replaceAll(
    /&quot;#\/components\/schemas\/([\w.-]+)&quot;/g,
    '<a href="#$1">$1</a>',
  )}</pre>`;

const marks: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const text = (raw: string): string => raw.replaceAll(/[&<>"']/g, (mark) => marks[mark] ?? '');

const style = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow: auto; padding: .5rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); font-size: .8rem; max-height: 24rem; }
summary { cursor: pointer; padding: .3rem 0; }
summary b { display: inline-block; min-width: 4.5rem; }
`;
