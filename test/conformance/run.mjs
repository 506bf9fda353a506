// Runs the conformance suite: `npm run conformance -- --help`.
import { runFromSources } from '../support/processes/from-sources.mjs';

await runFromSources('/test/conformance/main.ts');
