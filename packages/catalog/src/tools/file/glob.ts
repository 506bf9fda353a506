import { RE2JS } from 're2js';

/**
 * Returns the test whether a path matches a glob, in time that is linear in the path: `*` and `?` within a name, `**` over folders; a glob without `/` matches names in any
 * folder.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const pattern = RE2JS.compile(
    glob.replaceAll(/\*\*\/|\*\*|\*|\?|[^*?]+/g, (part) => wildcards.get(part) ?? RE2JS.quote(part)),
    RE2JS.DOTALL,
  );
  const hasFolders = glob.includes('/');
  return (path) => pattern.matches(hasFolders ? path : path.slice(path.lastIndexOf('/') + 1));
}

const wildcards: ReadonlyMap<string, string> = new Map([
  ['**/', '(?:[^/]+/)*'],
  ['**', '.*'],
  ['*', '[^/]*'],
  ['?', '[^/]'],
]);
