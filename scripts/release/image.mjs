// `npm run release:image -- [--push] [--dry-run]`: builds the container image with its SBOM and provenance, for two platforms. Its
// name is that of MILLRACE_IMAGE. The tag of the base image is resolved first: the image is built from that digest, which its
// labels and the file millrace-image.json record. With --dry-run, only the commands are printed.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, run, say } from '../process.mjs';

const { values } = parseArgs({
  options: { push: { type: 'boolean', default: false }, 'dry-run': { type: 'boolean', default: false } },
});
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const name = process.env.MILLRACE_IMAGE || 'millrace';
const tags = version.includes('-') ? [version] : [version, version.replace(/\.\d+$/, ''), 'latest'];
const [, base] = /^ARG NODE_IMAGE=(\S+)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'));

const asking = ['buildx', 'imagetools', 'inspect', '--format', '{{.Manifest.Digest}}', base];
say(`docker ${asking.join(' ')}`);
const digest = values['dry-run'] ? '<the digest that this prints>' : digestOf(base);
const args = [
  ...['buildx', 'build', '--platform', 'linux/amd64,linux/arm64'],
  ...['--sbom=true', '--provenance=mode=max'],
  ...['--build-arg', `NODE_IMAGE=${base}@${digest}`],
  ...['--label', `org.opencontainers.image.base.name=${base}`],
  ...['--label', `org.opencontainers.image.base.digest=${digest}`],
  ...tags.flatMap((tag) => ['--tag', `${name}:${tag}`]),
  ...(values.push ? ['--push'] : ['--output', 'type=oci,dest=millrace-image.tar']),
  '.',
];
say(`docker ${args.join(' ')}`);
if (!values['dry-run']) {
  process.exitCode = await run('docker', args);
  if (process.exitCode === 0) record();
}

/** Asks the registry for the digest of an image now. Throws if the answer is none. */
function digestOf(image) {
  const answer = execFileSync('docker', asking, { encoding: 'utf8' }).trim();
  if (!/^sha256:[0-9a-f]{64}$/.test(answer)) throw new Error(`The registry gave no digest of ${image}: ${answer}`);
  return answer;
}

/** Writes down what the image was built from, beside the image. */
function record() {
  const built = { name, tags, base: { name: base, digest } };
  writeFileSync(join(process.env.INIT_CWD ?? '', 'millrace-image.json'), `${JSON.stringify(built, null, 2)}\n`);
}
