// Runs a storm: `npm run chaos -- --seconds 60 --seed 1`.
import { runFromSources } from '../support/processes/from-sources.mjs';

await runFromSources('/test/chaos/storm/main.ts');
