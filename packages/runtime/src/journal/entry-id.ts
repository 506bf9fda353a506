/**
 * Returns whether a journal id `<version>-<n>` comes after another one, whose `-<n>` may be missing (then it means 0).
 */
export function isAfter(id: string, other: string): boolean {
  const [version, n] = parts(id);
  const [otherVersion, otherN] = parts(other);
  return version > otherVersion || (version === otherVersion && n > otherN);
}

function parts(id: string): readonly [number, number] {
  const [version, n = '0'] = id.split('-');
  return [Number(version), Number(n)];
}
