// Lints before a commit: the style of the files that are staged, and what concerns the project as a whole. Prints the checks that fail.
import { execFileSync } from 'node:child_process';
import { everything, install } from '../install.mjs';
import { root, runQuietly } from '../process.mjs';

const staged = execFileSync('git', ['diff', '--cached', '--name-only', '--diff-filter=d'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((name) => /\.(?:[cm]?[jt]s|json)$/.test(name));

const checks = [
  ['node_modules/@biomejs/biome/bin/biome', 'check', '--staged', '--error-on-warnings', '--no-errors-on-unmatched'],
  ['node_modules/dependency-cruiser/bin/dependency-cruise.mjs', 'packages', 'test'],
  ['node_modules/knip/bin/knip.js', '--no-progress'],
  ['scripts/lint/words.mjs'],
];

async function check() {
  if (staged.length === 0) return [];
  await install(...everything);
  return Promise.all(checks.map(([script, ...args]) => runQuietly(script, args)));
}

const results = await check();
if (results.some((code) => code !== 0)) {
  process.stderr.write(
    '\nThe commit was not made. `npm run format` fixes style; `git commit --no-verify` skips these checks.\n',
  );
  process.exitCode = 1;
}
