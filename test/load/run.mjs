// Builds the load program and runs it: `npm run load -- --workers 2 --seconds 20 --profile agents`.
import { compile } from '../../scripts/prepare.mjs';
import { runNode } from '../../scripts/process.mjs';

process.exitCode =
  (await compile('test/load')) || (await runNode('node_modules/.cache/load/main.js', process.argv.slice(2)));
