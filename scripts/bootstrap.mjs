// Entry of `npm run demo`, `npm test` and the others in a fresh clone: does what is missing, then what was asked.
// Node built-ins only, because nothing is installed yet when it starts.
import { everything, install } from './install.mjs';
import { build, buildDashboard, checkNode, useHooks } from './prepare.mjs';
import { runNode, say } from './process.mjs';
import { checkRedisOfDemo, checkRedisOfDev, checkRedisOfTests } from './redis.mjs';
import { test } from './test.mjs';

/** Each command with the sets of packages that its arguments need (install.mjs), and what is checked before they are installed. */
const commands = {
  setup: [['command', 'dashboard'], afterBuild(setup)],
  demo: [setsOfDemo, afterBuild(demo), checkRedisOfDemo],
  'demo:ui': [everything, afterBuild(demoUi)],
  dev: [['command'], afterBuild((args) => runNode('scripts/dev.mjs', args)), checkRedisOfDev],
  conformance: [everything, afterBuild((args) => runNode('test/conformance/run.mjs', args))],
  chaos: [everything, afterBuild((args) => runNode('test/chaos/run.mjs', args))],
  bench: [['command'], afterBuild((args) => runNode('test/bench/run.mjs', args))],
  load: [['command'], afterBuild((args) => runNode('test/load/run.mjs', args))],
  'release:pack': [['command', 'dashboard'], afterBuild((args) => runNode('scripts/release/pack.mjs', args))],
  // The tests bring their own build step, so that it appears in their summary.
  test: [everything, testWithHooks, checkRedisOfTests],
  // Scripts of package.json that need no build, such as `lint`, install before they start their program.
  'install:docs': [['docs'], () => 0],
  'install:everything': [everything, () => 0],
};

async function setup() {
  await buildDashboard();
  say('done. Next:\n  npx millrace up             (with --local, without Redis)\n  npx millrace demo');
  return 0;
}

/** Without Redis, what there is to see is the dashboard. */
function setsOfDemo(args) {
  return args.includes('--local') ? ['command', 'dashboard'] : ['command'];
}

async function demo(args) {
  if (args.includes('--local')) await buildDashboard();
  return runNode('packages/cli/bin/millrace.js', ['demo', ...args]);
}

async function demoUi(args) {
  await buildDashboard();
  return runNode('test/support/demo-ui/run.mjs', args);
}

/** Who runs the tests changes the code. */
function testWithHooks(args) {
  useHooks();
  return test(args);
}

function afterBuild(command) {
  return async (args) => {
    await build();
    return command(args);
  };
}

const [name = 'setup', ...args] = process.argv.slice(2);

async function main() {
  if (!Object.hasOwn(commands, name)) {
    say(`unknown command "${name}"; there are: ${Object.keys(commands).join(', ')}`);
    return 2;
  }
  const [sets, command, check = () => {}] = commands[name];
  checkNode();
  check(args);
  await install(...(typeof sets === 'function' ? sets(args) : sets));
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
