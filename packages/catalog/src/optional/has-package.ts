import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Returns whether a package that is installed only where it is needed can be loaded. */
export function hasPackage(name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch (error) {
    // A package may have no entry for `require`, and be there.
    return !(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND');
  }
}
