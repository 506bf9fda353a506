// Entry of `npm run demo`, `npm test` and the others in a fresh clone: does what is missing, then what was asked.
// Node built-ins only, because nothing is installed yet when it starts.
import { build, buildDashboard, checkNode, install, useHooks } from './prepare.mjs';
import { runNode, say } from './process.mjs';
import { test } from './test.mjs';

const commands = {
  async setup() {
    await buildDashboard();
    return useHooks();
  },
  demo: (args) => runNode('packages/cli/bin/millrace.js', ['demo', ...args]),
  async 'demo:ui'(args) {
    await buildDashboard();
    return runNode('test/support/demo-ui/run.mjs', args);
  },
  dev: (args) => runNode('scripts/dev.mjs', args),
  conformance: (args) => runNode('test/conformance/run.mjs', args),
  chaos: (args) => runNode('test/chaos/run.mjs', args),
  bench: (args) => runNode('test/bench/run.mjs', args),
  load: (args) => runNode('test/load/run.mjs', args),
  'release:pack': (args) => runNode('scripts/release/pack.mjs', args),
  test,
};

const [name = 'setup', ...args] = process.argv.slice(2);

async function main() {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    say(`unknown command "${name}"; there are: ${Object.keys(commands).join(', ')}`);
    return 2;
  }
  checkNode();
  await install();
  // The tests bring their own build step, so that it appears in their summary.
  if (name !== 'test') await build();
  return command(args);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    say(error.message);
    process.exitCode = 1;
  },
);
