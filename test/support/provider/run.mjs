// `npm run fake-provider [-- --port 18080 --anthropic-port 18081]`: a model provider for trying workflows, until Ctrl-C.
import { runFromSources } from '../processes/from-sources.mjs';

await runFromSources('/test/support/provider/run.ts');
