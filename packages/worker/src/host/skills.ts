import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { SkillFolder, Skills } from '@millrace/core';
import { isNotFound, resolveInside } from '../files/confined-path.ts';

/** Bytes of the largest file of a skill that is read. */
const largestFile = 1024 * 1024;

/** The skills in a directory: one folder each. */
export function createSkills(directory: string): Skills {
  const root = resolve(directory);
  const read = async (skill: string, path: string): Promise<Uint8Array> => {
    const place = await resolveInside(await resolveInside(root, skill), path);
    const { size } = await stat(place);
    if (size > largestFile) throw new Error(`"${path}" has ${size} bytes; at most ${largestFile} can be read`);
    return readFile(place);
  };
  return {
    read,
    async folders() {
      const names = await foldersIn(root);
      const found = await Promise.all(
        names.map(async (name): Promise<SkillFolder | undefined> => {
          try {
            const text = new TextDecoder().decode(await read(name, 'SKILL.md'));
            return { name, location: join(root, name, 'SKILL.md'), text };
          } catch (error) {
            if (isNotFound(error)) return undefined;
            throw error;
          }
        }),
      );
      return found.filter((folder) => folder !== undefined);
    },
  };
}

async function foldersIn(root: string): Promise<readonly string[]> {
  try {
    return (await readdir(root, { withFileTypes: true }))
      .flatMap((entry) => (entry.isFile() ? [] : [entry.name]))
      .sort();
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
