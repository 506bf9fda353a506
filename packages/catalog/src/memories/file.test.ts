import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { fakeMemoryAccess } from '../../../../test/support/fakes/fake-memory-access.ts';
import { directoryBeforeEach } from '../../../../test/support/fixtures.ts';
import { file } from './file.ts';

const folder = directoryBeforeEach();
beforeEach(async () => {
  await mkdir(join(folder, 'inner'));
  await writeFile(join(folder, 'loops.md'), '# Loops\nConfigure the loop counter with max_iterations.');
  await writeFile(join(folder, 'inner', 'soup.md'), 'Soup needs water and salt.');
  await writeFile(join(folder, 'other.txt'), 'The loop counter is not described here.');
});

const configOf = (source: Record<string, unknown> = {}) =>
  file.config.parse({ file_sources: [{ path: folder, file_types: ['.md'], ...source }] });
const found = async (text: string, config = configOf(), access = fakeMemoryAccess()) =>
  (await file.recall(config, { text, role: '', topK: 1 }, access)).map((memory) => memory.text);

describe('a file memory', () => {
  it('finds the relevant passage', async () => {
    expect(await found('How do I configure the loop counter?')).toEqual([
      '# Loops\nConfigure the loop counter with max_iterations.',
    ]);
    expect(await found('water and salt')).toEqual(['Soup needs water and salt.']);
  });

  it('reads only the configured files', async () => {
    expect(await found('water and salt', configOf({ recursive: false }))).toEqual([
      '# Loops\nConfigure the loop counter with max_iterations.',
    ]);
    expect(await found('soup', configOf({ path: join(folder, 'other.txt'), file_types: null }))).toEqual([
      'The loop counter is not described here.',
    ]);
  });

  it('reads a changed file again', async () => {
    await found('salt');
    await writeFile(join(folder, 'inner', 'soup.md'), 'Soup needs pepper and salt.');
    await utimes(join(folder, 'inner', 'soup.md'), 1, 1);
    expect(await found('salt')).toEqual(['Soup needs pepper and salt.']);
    await rm(join(folder, 'inner', 'soup.md'));
    expect(await found('salt')).not.toContain('Soup needs pepper and salt.');
  });

  it('refuses files that are too large, or without an end', async () => {
    await writeFile(join(folder, 'large.md'), Buffer.alloc(16 * 1024 * 1024 + 1, 'x'));

    for (const path of [join(folder, 'large.md'), '/dev/zero']) {
      await expect(found('x', configOf({ path, file_types: null }))).rejects.toMatchObject({
        code: 'MEMORY_FILES_TOO_MANY',
        message: expect.stringContaining('has more than 16 MiB'),
      });
    }
  });

  it('embeds a passage once', async () => {
    const access = fakeMemoryAccess();
    const kept: number[] = [];
    const counting = {
      ...access,
      cacheVectors: async (vectors: ReadonlyMap<string, Float32Array>) => {
        kept.push(vectors.size);
        await access.cacheVectors(vectors);
      },
    };
    await found('salt', configOf(), counting);
    await found('loop', configOf(), counting);
    expect(kept).toEqual([2]);
  });

  it('reports a path without files, except in compatibility mode', async () => {
    const missing = configOf({ path: join(folder, 'nowhere') });
    await expect(found('salt', missing)).rejects.toMatchObject({ code: 'MEMORY_FILES_MISSING' });
    expect(await found('salt', missing, fakeMemoryAccess({ compat: true }))).toEqual([]);
  });

  it('is read-only', () => {
    expect(file.remember).toBeUndefined();
  });
});
