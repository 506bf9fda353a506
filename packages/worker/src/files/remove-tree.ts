import { randomUUID } from 'node:crypto';
import { chmod, readdir, rename, rm } from 'node:fs/promises';

/** Bytes of a path below a folder that the system takes for sure, with those of the folder and a name behind it. */
const longestBelow = 1000;

/**
 * Removes a folder with all that a program can leave in it: paths that are longer than the system takes, and folders that only their
 * owner may open again.
 */
export async function removeTree(folder: string | Buffer): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    if (!isObstacle(error)) throw error;
    await makeReachable(Buffer.from(folder));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Opens all folders below one, and moves those up into it whose paths are long. */
async function makeReachable(top: Buffer): Promise<void> {
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
      if (!entry.isDirectory()) continue;
      const place = below(folder, entry.name);
      if (place.length - top.length <= longestBelow) folders.push(place);
      else {
        const raised = below(top, Buffer.from(randomUUID()));
        // Another parent can be written only into a folder that may be changed.
        await chmod(place, 0o700);
        await rename(place, raised);
        folders.push(raised);
      }
    }
  }
}

const below = (folder: Buffer, name: Buffer): Buffer => Buffer.concat([folder, Buffer.from('/'), name]);

const obstacles: ReadonlySet<unknown> = new Set(['ENAMETOOLONG', 'EACCES', 'EPERM', 'ENOTEMPTY']);

const isObstacle = (error: unknown): boolean => error instanceof Error && 'code' in error && obstacles.has(error.code);
