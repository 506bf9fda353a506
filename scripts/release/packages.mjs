import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../process.mjs';

/** The packages of the repository with their manifests, those that others depend on first. */
export function packages(repository = root) {
  const found = readdirSync(join(repository, 'packages')).map((folder) => {
    const path = join(repository, 'packages', folder);
    return { path, manifest: JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) };
  });
  const byName = new Map(found.map((each) => [each.manifest.name, each]));
  const ordered = new Set();
  const add = (each) => {
    if (each === undefined || ordered.has(each)) return;
    const { dependencies = {}, publishedDependencies = [] } = each.manifest;
    for (const name of [...Object.keys(dependencies), ...publishedDependencies]) add(byName.get(name));
    ordered.add(each);
  };
  for (const each of found) add(each);
  return [...ordered];
}
