// `npm run release:image -- [--push] [--dry-run]`: builds the container image with its SBOM and provenance, for two platforms. Its
// name is that of MILLRACE_IMAGE. With --dry-run, only the command is printed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, run, say } from '../process.mjs';

const { values } = parseArgs({
  options: { push: { type: 'boolean', default: false }, 'dry-run': { type: 'boolean', default: false } },
});
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const name = process.env.MILLRACE_IMAGE || 'millrace';
const tags = version.includes('-') ? [version] : [version, version.replace(/\.\d+$/, ''), 'latest'];

const args = [
  ...['buildx', 'build', '--platform', 'linux/amd64,linux/arm64'],
  ...['--sbom=true', '--provenance=mode=max'],
  ...tags.flatMap((tag) => ['--tag', `${name}:${tag}`]),
  ...(values.push ? ['--push'] : ['--output', 'type=oci,dest=millrace-image.tar']),
  '.',
];
say(`docker ${args.join(' ')}`);
if (!values['dry-run']) process.exitCode = await run('docker', args);
