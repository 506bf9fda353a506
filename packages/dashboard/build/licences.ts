import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Packages of which nothing comes into the built files. */
const tools = /^(?:@millrace\/|@types\/|@vitejs\/|vite$)/;

/** Returns the packages that the built files contain, with their versions and licences. */
export function licencesOf(manifestFile: string): readonly (readonly [name: string, licence: string])[] {
  const require = createRequire(manifestFile);
  const { devDependencies = {} } = read(manifestFile);
  return Object.keys(devDependencies)
    .filter((name) => !tools.test(name))
    .map((name) => {
      const { version, license = 'unknown' } = read(manifestOf(require, name));
      return [`${name} ${version}`, license] as const;
    });
}

const read = (file: string): Manifest => JSON.parse(readFileSync(file, 'utf8'));

/** Finds the manifest of a package, which not every package exports. */
function manifestOf(require: NodeJS.Require, name: string): string {
  for (const folder of require.resolve.paths(name) ?? []) {
    const file = join(folder, name, 'package.json');
    try {
      if (read(file).name === name) return file;
    } catch {
      // It is in a folder further up.
    }
  }
  throw new Error(`${name} is not installed.`);
}
