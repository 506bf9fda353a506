// `npm run release:check -- --tag vVERSION`: fails unless the tag, all packages and the changelog agree on the version.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, say } from '../process.mjs';
import { packages } from './packages.mjs';

const { tag = '' } = parseArgs({ options: { tag: { type: 'string' } } }).values;
const version = tag.replace(/^v/, '');
const problems = [
  ...packages()
    .filter(({ manifest }) => manifest.version !== version)
    .map(({ manifest }) => `${manifest.name} has version ${manifest.version}`),
  ...(readFileSync(join(root, 'CHANGELOG.md'), 'utf8').includes(`\n## ${version} - `)
    ? []
    : [`CHANGELOG.md has no part "${version}"`]),
];
for (const problem of problems) say(`the tag is "${tag}", but ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;
