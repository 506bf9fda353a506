// Builds the benchmark, which is measured as it would be installed, and runs it: `npm run bench [-- --quick]`.
import { runNode } from '../../scripts/process.mjs';

process.exitCode =
  (await runNode('node_modules/typescript/bin/tsc', ['-b', 'test/bench'])) ||
  (await runNode('node_modules/.cache/bench/run.js', process.argv.slice(2)));
