// Runs a storm: `npm run chaos -- --seconds 60 --seed 1`.
import { runFromSources } from '../support/from-sources.mjs';

await runFromSources('/test/chaos/main.ts');
