import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { directoryBeforeEach } from '../support/fixtures.ts';

const script = fileURLToPath(new URL('../../scripts/release/image.mjs', import.meta.url));
const folder = directoryBeforeEach();

/** Runs the script with a program in the place of `docker` that answers a question for a digest. */
function build(digest: string, ...args: readonly string[]) {
  const docker = `#!/bin/sh\necho "$@" >> ${join(folder, 'said')}\ncase $2 in imagetools) echo '${digest}';; esac\n`;
  writeFileSync(join(folder, 'docker'), docker);
  chmodSync(join(folder, 'docker'), 0o755);
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, INIT_CWD: folder };
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env });
  const said = existsSync(join(folder, 'said')) ? readFileSync(join(folder, 'said'), 'utf8') : '';
  return { status, stderr, commands: said.split('\n').filter((line) => line !== '') };
}

const digest = `sha256:${'0a'.repeat(32)}`;

it('builds the image of a release from the digest that the registry gives, and records it', () => {
  const { status, commands } = build(digest);

  const [asked, built] = commands;
  expect([status, commands.length]).toEqual([0, 2]);
  expect(asked).toBe('buildx imagetools inspect --format {{.Manifest.Digest}} node:24-bookworm-slim');
  expect(built).toContain(`--build-arg NODE_IMAGE=node:24-bookworm-slim@${digest}`);
  expect(built).toContain(`--label org.opencontainers.image.base.digest=${digest}`);
  expect(JSON.parse(readFileSync(join(folder, 'millrace-image.json'), 'utf8'))).toMatchObject({
    base: { name: 'node:24-bookworm-slim', digest },
  });
});

it('builds nothing without a digest', () => {
  const { status, commands } = build('no such image');

  expect(status).not.toBe(0);
  expect(commands).toHaveLength(1);
  expect(existsSync(join(folder, 'millrace-image.json'))).toBe(false);
});

it('asks nobody in a dry run, and names no digest', () => {
  const { status, stderr, commands } = build(digest, '--dry-run');

  expect([status, commands]).toEqual([0, []]);
  expect(stderr).not.toMatch(/sha256:/);
});
