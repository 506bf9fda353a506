/**
 * Returns whether a path matches a glob: `*` and `?` within a name, `**` over folders; a glob without `/` matches names in any
 * folder.
 */
export function matchesGlob(path: string, glob: string): boolean {
  const subject = glob.includes('/') ? path : path.slice(path.lastIndexOf('/') + 1);
  return regexOf(glob).test(subject);
}

const regexOf = (glob: string): RegExp =>
  new RegExp(
    `^${glob.replaceAll(/\*\*\/|\*\*|\*|\?|[^*?]+/g, (part) => wildcards.get(part) ?? part.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&'))}$`,
  );

const wildcards: ReadonlyMap<string, string> = new Map([
  ['**/', '(?:[^/]+/)*'],
  ['**', '.*'],
  ['*', '[^/]*'],
  ['?', '[^/]'],
]);
