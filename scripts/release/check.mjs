// `npm run release:check -- --tag vVERSION`: fails unless the tag, all packages and the changelog agree on the version, and
// while a page, example or template names a model that retires within 90 days.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, say } from '../process.mjs';
import { packages } from './packages.mjs';
import { retiringModelsNamed } from './retiring-models.mjs';

const { tag = '' } = parseArgs({ options: { tag: { type: 'string' } } }).values;
const version = tag.replace(/^v/, '');
const disagreements = [
  ...packages()
    .filter(({ manifest }) => manifest.version !== version)
    .map(({ manifest }) => `${manifest.name} has version ${manifest.version}`),
  ...(readFileSync(join(root, 'CHANGELOG.md'), 'utf8').includes(`\n## ${version} - `)
    ? []
    : [`CHANGELOG.md has no part "${version}"`]),
];
const retiring = retiringModelsNamed(new Date().toISOString().slice(0, 10));
for (const problem of disagreements) say(`the tag is "${tag}", but ${problem}`);
for (const named of retiring) say(`a model that retires within 90 days is named in ${named}`);
process.exitCode = disagreements.length + retiring.length === 0 ? 0 : 1;
