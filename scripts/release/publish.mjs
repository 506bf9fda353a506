// `npm run release:publish -- --from DIR [--dry-run]`: publishes the tarballs that `release:pack` has built, those that others
// depend on first. A version that is published already is left as it is, so an interrupted release can be repeated.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { run, say } from '../process.mjs';
import { packages } from './packages.mjs';

const { values } = parseArgs({ options: { from: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } } });
if (values.from === undefined) {
  say('usage: npm run release:publish -- --from DIR [--dry-run]');
  process.exit(2);
}
const dryRun = values['dry-run'];
const folder = resolve(process.env.INIT_CWD ?? '', values.from);

const tarballs = packages().map(({ manifest: { name, version } }) => ({
  spec: `${name}@${version}`,
  // A version such as 1.0.0-rc.1 does not become what `npm install` gives to everybody.
  tag: version.includes('-') ? 'next' : 'latest',
  file: join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`),
}));
const missing = tarballs.filter(({ file }) => !existsSync(file));
if (missing.length > 0)
  throw new Error(`${missing[0].file} is missing: run npm run release:pack -- --out ${values.from}`);

const isPublished = (spec) => spawnSync('npm', ['view', spec, 'version'], { encoding: 'utf8' }).stdout?.trim() !== '';

for (const { spec, tag, file } of tarballs) {
  if (!dryRun && isPublished(spec)) {
    say(`${spec} is published already`);
    continue;
  }
  // Provenance needs the identity of a workflow, which there is none of on other machines.
  const args = [
    'publish',
    file,
    '--ignore-scripts',
    '--tag',
    tag,
    ...(dryRun ? ['--dry-run', '--provenance=false'] : []),
  ];
  const code = await run('npm', args);
  if (code !== 0) process.exit(code);
}
