// Writes the files that are generated from the operations: `npm run generate`.
import { runFromSources } from '../support/processes/from-sources.mjs';

await runFromSources('/test/generated/generate.ts');
