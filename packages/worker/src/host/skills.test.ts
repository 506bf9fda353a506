import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoryBeforeEach } from '../../../../test/support/fixtures.ts';
import { createSkills } from './skills.ts';

const directory = directoryBeforeEach();

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(directory, path, '..'), { recursive: true });
  await writeFile(join(directory, path), text);
}

describe('the skills of a worker', () => {
  it('are the folders with a SKILL.md', async () => {
    await write('b/SKILL.md', 'B');
    await write('a/SKILL.md', 'A');
    await write('c/README.md', 'C');
    await write('SKILL.md', 'none');

    expect(await createSkills(directory).folders()).toEqual([
      { name: 'a', location: join(directory, 'a/SKILL.md'), text: 'A' },
      { name: 'b', location: join(directory, 'b/SKILL.md'), text: 'B' },
    ]);
  });

  it('are empty without the directory', async () => {
    expect(await createSkills(join(directory, 'missing')).folders()).toEqual([]);
  });

  it('list the files in their folder and no others', async () => {
    await write('a/more/x.md', 'X');
    await write('b/SKILL.md', 'B');
    await symlink('../b/SKILL.md', join(directory, 'a/link'));
    const skills = createSkills(directory);

    expect(new TextDecoder().decode(await skills.read('a', 'more/x.md'))).toBe('X');
    await expect(skills.read('a', '../b/SKILL.md')).rejects.toThrow('leads out of the folder');
    await expect(skills.read('a', 'link')).rejects.toThrow('leads out of the folder');
    await expect(skills.read('..', 'x')).rejects.toThrow('leads out of the folder');
  });
});
