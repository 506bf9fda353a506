// `npm run docs:pictures`: takes the pictures of the dashboard for the README and the guide.
import { runFromSources } from '../processes/from-sources.mjs';

await runFromSources('/test/support/demo-ui/take-pictures.ts');
