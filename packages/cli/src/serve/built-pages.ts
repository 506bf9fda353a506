import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Returns a folder of the built pages, which belong to a package of their own. */
export function builtPages(...parts: readonly string[]): string {
  try {
    const manifest = createRequire(import.meta.url).resolve('@millrace/dashboard/package.json');
    return join(dirname(manifest), 'dist', ...parts);
  } catch (error) {
    // A clone in which only the packages of `npm run demo` are installed. The server says so in place of the pages.
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return noPages;
    throw error;
  }
}

/** Returns whether this copy has the dashboard, which a clone builds with `npm run setup`. */
export const hasDashboard = (): boolean => existsSync(join(builtPages(), 'index.html'));

/** A folder that does not exist. */
const noPages = join(process.execPath, 'dashboard');
