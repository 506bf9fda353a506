import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/**
 * The real place of a path below a folder. Throws when it leads out of it, by `..` or by a link anywhere on its way;
 * for a path that does not exist yet, the folder that would contain it counts.
 */
export async function resolveInside(root: string, path: string): Promise<string> {
  if (path.includes('\0')) throw new Error(`"${path}" is not a path`);
  const place = resolve(root, path);
  if (!isWithin(root, place)) throw leadsOut(path);
  const [realRoot, real] = await Promise.all([realpath(root), realOf(place)]);
  if (!isWithin(realRoot, real)) throw leadsOut(path);
  return real;
}

const leadsOut = (path: string): Error =>
  new Error(`"${path}" leads out of the folder; only paths inside of it are allowed`);

/** Returns whether a path is a folder or below it; both are absolute. */
export function isWithin(root: string, place: string): boolean {
  const way = relative(root, place);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Returns whether a path leads to a folder or below it, directly or by links. */
export async function leadsInto(folder: string, path: string): Promise<boolean> {
  if (isWithin(folder, path)) return true;
  const [root, real] = await Promise.all([folder, path].map((one) => realOf(one).catch(() => one)));
  return root !== undefined && real !== undefined && isWithin(root, real);
}

/** The real path of a place of which the last parts may be missing. A link that leads nowhere is no place. */
async function realOf(place: string): Promise<string> {
  try {
    return await realpath(place);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (await isLink(place))
      throw new Error(`"${place.slice(place.lastIndexOf(sep) + 1)}" is a link that leads nowhere`);
    return join(await realOf(dirname(place)), place.slice(place.lastIndexOf(sep) + 1));
  }
}

async function isLink(place: string): Promise<boolean> {
  try {
    return (await lstat(place)).isSymbolicLink();
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Returns whether an error says that a file does not exist. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
