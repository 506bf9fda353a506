import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readFileUpTo } from '@millrace/catalog';
import type { SkillFolder, Skills } from '@millrace/core';
import { isNotFound, resolveInside } from '../files/confined-path.ts';

/** Bytes of the largest file of a skill that is read. */
const largestFile = 1024 * 1024;

/** The skills in a directory: one folder each. */
export function createSkills(directory: string): Skills {
  const root = resolve(directory);
  const read = async (skill: string, path: string): Promise<Uint8Array> => {
    const place = await resolveInside(await resolveInside(root, skill), path);
    const content = await readFileUpTo(place, largestFile);
    if (content === undefined)
      throw new Error(`"${path}" has more than ${largestFile} bytes, which is the most that can be read`);
    return content;
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
