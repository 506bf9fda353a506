import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';

/**
 * Finds the file of a subgraph: an absolute path as it is; otherwise beside the file that names it, then in the
 * `yaml_instance` folder of each directory above that one, then below the working directory.
 */
export function findSubgraphFile(path: string, from: string): string | undefined {
  const found = candidates(path, from).find((candidate) => existsSync(candidate));
  return found === undefined ? undefined : relative('', found) || found;
}

function candidates(path: string, from: string): string[] {
  if (isAbsolute(path)) return [path];
  const beside = dirname(resolve(from));
  return [
    join(beside, path),
    ...ancestors(beside).map((directory) => join(directory, 'yaml_instance', path)),
    resolve(path),
  ];
}

function ancestors(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...ancestors(parent)];
}
