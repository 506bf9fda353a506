// Builds the benchmark, which is measured as it would be installed, and runs it: `npm run bench [-- --quick]`. Both sides have
// the young generation that the image gives to workers.
import { buildPackages, compile } from '../../scripts/prepare.mjs';
import { runNode } from '../../scripts/process.mjs';

process.exitCode =
  (await buildPackages()) ||
  (await compile('test/bench')) ||
  (await runNode('--max-semi-space-size=32', ['node_modules/.cache/bench/run.js', ...process.argv.slice(2)]));
