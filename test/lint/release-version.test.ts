import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { directoryBeforeEach } from '../support/fixtures.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const folder = directoryBeforeEach();

/** Copies the manifests of the repository, and writes a short changelog. */
beforeEach(() => {
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  for (const name of readdirSync(join(root, 'packages'))) {
    mkdirSync(join(folder, 'packages', name), { recursive: true });
    cpSync(join(root, 'packages', name, 'package.json'), join(folder, 'packages', name, 'package.json'));
  }
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n');
});

const release = (version: string) =>
  spawnSync(process.execPath, [join(root, 'scripts/release/version.mjs'), version, folder], { encoding: 'utf8' });
const text = (path: string) => readFileSync(join(folder, path), 'utf8');

describe('a release', () => {
  it('sets one version for all packages and their dependencies on each other', () => {
    const before = JSON.parse(text('package.json')).version;
    const { status } = release('7.8.9-rc.1');
    const manifests = [
      'package.json',
      ...readdirSync(join(folder, 'packages')).map((name) => `packages/${name}/package.json`),
    ];

    expect(status).toBe(0);
    expect(manifests.map((path) => JSON.parse(text(path)).version)).toEqual(manifests.map(() => '7.8.9-rc.1'));
    expect(text('packages/cli/package.json')).toContain('"@millrace/core": "7.8.9-rc.1"');
    expect(manifests.filter((path) => text(path).includes(`millrace/core": "${before}"`))).toEqual([]);
  });

  it('turns the unreleased changes into a section, and adds an empty one', () => {
    release('7.8.9');

    expect(text('CHANGELOG.md')).toMatch(
      /^# Changelog\n\n## Unreleased\n\n## 7\.8\.9 - \d{4}-\d\d-\d\d\n\n### Added\n/,
    );
  });

  it('refuses an invalid version', () => {
    expect(release('next')).toMatchObject({ status: 2, stderr: expect.stringContaining('release:version -- 0.2.0') });
  });
});
