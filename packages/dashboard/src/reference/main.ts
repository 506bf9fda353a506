import 'swagger-ui-dist/swagger-ui.css';
import './reference.css';
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import { filterOperations } from './filter-operations.ts';
import { withSession } from './with-session.ts';

const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

const place = document.getElementById('reference');
if (place === null) throw new Error('The page has no element with the id "reference".');
SwaggerUI({
  domNode: place,
  url: '/openapi.json',
  plugins: [() => ({ fn: { opsFilter: filterOperations } })],
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  requestInterceptor: withSession,
  // Without it, the page would send the document to a third-party server.
  validatorUrl: null,
});
