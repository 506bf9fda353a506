import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './process.mjs';

// Links the packages of the repository that were added since the last `npm install`, so that a build finds them after a pull.
for (const folder of readdirSync(join(root, 'packages'))) {
  const { name } = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'));
  const link = join(root, 'node_modules', name);
  if (existsSync(link)) continue;
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(root, 'packages', folder), link, 'junction');
}
