import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The definition files of these paths: files as named, directories searched through for `*.yaml` and `*.yml`. */
export function definitionFiles(paths: readonly string[]): string[] {
  return [...new Set(paths.flatMap((path) => (isDirectory(path) ? filesBelow(path) : [path])))];
}

const isDirectory = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** Pattern of files that accompany a workflow and are none. */
const companion = /\.(script|answers)\.ya?ml$/;

function filesBelow(directory: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith('.') || entry.name === 'node_modules' ? [] : filesBelow(path);
    return /\.ya?ml$/.test(entry.name) && !companion.test(entry.name) ? [path] : [];
  });
}
