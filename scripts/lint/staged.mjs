// Lints before a commit: the style of the files that are staged, and what concerns the project as a whole. Prints the checks that fail.
import { execFileSync, spawn } from 'node:child_process';
import { root } from '../process.mjs';

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
  ['scripts/lint/retired-names.mjs'],
];

/** Runs one check, and prints its output if it fails; returns whether it passed. */
function passes(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    child.stdout.on('data', (part) => output.push(part));
    child.stderr.on('data', (part) => output.push(part));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code !== 0) process.stderr.write(Buffer.concat(output));
      resolve(code === 0);
    });
  });
}

const results = staged.length === 0 ? [] : await Promise.all(checks.map(passes));
if (results.includes(false)) {
  process.stderr.write(
    '\nThe commit was not made. `npm run format` fixes style; `git commit --no-verify` skips these checks.\n',
  );
  process.exitCode = 1;
}
