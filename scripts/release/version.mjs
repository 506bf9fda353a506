// `npm run release:version -- VERSION`: gives all packages the version, and the unreleased part of the changelog its heading.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, say } from '../process.mjs';
import { packages } from './packages.mjs';

const [version = '', folder = root] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+(?:-[0-9a-z.]+)?$/.test(version)) {
  say('usage: npm run release:version -- VERSION, such as: npm run release:version -- 0.2.0');
  process.exit(2);
}

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const write = (path, manifest) => writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);

const found = packages(folder);
const own = new Set(found.map(({ manifest }) => manifest.name));
const raised = (dependencies) =>
  Object.fromEntries(Object.entries(dependencies).map(([name, range]) => [name, own.has(name) ? version : range]));

for (const { path, manifest } of found) {
  const kinds = ['dependencies', 'devDependencies', 'peerDependencies'].filter((kind) => manifest[kind] !== undefined);
  const dependencies = Object.fromEntries(kinds.map((kind) => [kind, raised(manifest[kind])]));
  write(join(path, 'package.json'), { ...manifest, version, ...dependencies });
}
const manifest = join(folder, 'package.json');
write(manifest, { ...read(manifest), version });

const changelog = join(folder, 'CHANGELOG.md');
const text = readFileSync(changelog, 'utf8');
if (!text.includes('\n## Unreleased\n')) throw new Error('CHANGELOG.md has no part "Unreleased"');
const today = new Date().toISOString().slice(0, 10);
writeFileSync(changelog, text.replace('\n## Unreleased\n', `\n## Unreleased\n\n## ${version} - ${today}\n`));

if (folder === root) {
  process.exitCode = await run('npm', [
    'install',
    '--package-lock-only',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ]);
  say(`version ${version}: review, commit as "release: ${version}", tag v${version} and push both`);
}
