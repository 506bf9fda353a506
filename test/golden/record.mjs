// Records journals of new shapes: `node test/golden/record.mjs`. What is recorded already is never written again.
import { runFromSources } from '../support/processes/from-sources.mjs';

await runFromSources('/test/golden/record.ts');
