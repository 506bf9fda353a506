import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Pattern of files that accompany a workflow and are none. */
const companion = /\.(script|answers|test|eval)\.ya?ml$/;

/** The definition files of these paths: files as named, directories searched through for `*.yaml` and `*.yml`. */
export const definitionFiles = (paths: readonly string[]): string[] =>
  filesOf(paths, (name) => /\.ya?ml$/.test(name) && !companion.test(name));

/** The files of tests of these paths: files as named, directories searched through for `*.test.yaml`. */
export const testFiles = (paths: readonly string[]): string[] => filesOf(paths, (name) => /\.test\.ya?ml$/.test(name));

const filesOf = (paths: readonly string[], isWanted: (name: string) => boolean): string[] => [
  ...new Set(paths.flatMap((path) => (isDirectory(path) ? filesBelow(path, isWanted) : [path]))),
];

const isDirectory = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

function filesBelow(directory: string, isWanted: (name: string) => boolean): string[] {
  const entries = readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory())
      return entry.name.startsWith('.') || entry.name === 'node_modules' ? [] : filesBelow(path, isWanted);
    return isWanted(entry.name) ? [path] : [];
  });
}
