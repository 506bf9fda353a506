// `npm run test:node -- VERSION`: runs the tests without whole processes with another Node.js, which npm brings as the package `node`.
import { run, say } from './process.mjs';

const [version = '', ...args] = process.argv.slice(2);

if (/^\d+(?:\.\d+){0,2}$/.test(version)) {
  const only = args.length > 0 ? args : ['--only', 'lint,types,unit,integration'];
  const script = ['node', 'scripts/bootstrap.mjs', 'test', ...only];
  process.exitCode = await run('npm', ['exec', '--yes', `--package=node@${version}`, '--', ...script]);
} else {
  say('usage: npm run test:node -- VERSION [--only KIND,…], such as: npm run test:node -- 24');
  process.exitCode = 2;
}
