// `npm run demo:ui [-- --port N]`: serves the dashboard with runs of all kinds, until Ctrl-C.
import { runFromSources } from '../processes/from-sources.mjs';

await runFromSources('/test/support/demo-ui/run.ts');
