import { describe, expect, it } from 'vitest';
import { fakeMemoryAccess } from '../../../../test/support/fakes/fake-memory-access.ts';
import { MemoryFileConfig, memoryFile, normalizePath } from './memory-file.ts';

/** Returns the view of the file in prompts after these writes; `=` overwrites. */
async function view(config: Record<string, unknown>, ...writes: readonly string[]): Promise<string | undefined> {
  const access = fakeMemoryAccess();
  access.hold(
    writes.map((text) => ({
      text: text.replace(/^=/, ''),
      at: 0,
      metadata: { mode: text.startsWith('=') ? 'overwrite' : 'append' },
    })),
  );
  return memoryFile.file?.(MemoryFileConfig.parse({ path: 'memory/x.txt', ...config })).view(access);
}

const code = `import os

def square(x: int) -> int:
    """x times x"""
    return x * x

def cube(
    x,
):
    return x ** 3
`;

describe('memory_file', () => {
  it('begins with its initial text until that is replaced', async () => {
    expect(await view({ initial: 'old' })).toBe('old');
    expect(await view({ initial: 'old' }, 'more')).toBe('old\nmore');
    expect(await view({ initial: 'old' }, 'more', '=new', 'end')).toBe('new\nend');
  });

  it('begins with the contents of a file', async () => {
    expect(await view({ initial: { file: 'LICENSE' } })).toMatch(/Apache License/);
    await expect(view({ initial: { file: 'no/such/file' } })).rejects.toMatchObject({ code: 'MEMORY_FILES_MISSING' });
    await expect(view({ initial: { file: '/dev/zero' } })).rejects.toMatchObject({ code: 'MEMORY_FILES_TOO_MANY' });
  });

  it('shows the newest entries in full, and the number of omitted ones', async () => {
    const entries = Array.from({ length: 500 }, (_, at) => `entry ${at}`);

    const shown = await view({ mode: 'append', view: 'tail', max_chars: 2000 }, ...entries);

    const lines = shown?.split('\n') ?? [];
    const kept = lines.slice(1);
    expect(lines[0]).toBe(`(${500 - kept.length} earlier entries are not shown)`);
    expect(kept).toEqual(entries.slice(-kept.length));
    expect(kept.join('\n').length).toBeLessThanOrEqual(2000);
    expect(kept.join('\n').length).toBeGreaterThan(1980);
  });

  it('shows the end of a single entry that is too long', async () => {
    expect(await view({ view: 'tail', max_chars: 3 }, 'first', 'abcdef')).toBe(
      '(1 earlier entries are not shown)\ndef',
    );
  });

  it('shows the beginning of a long text, and the length of the rest', async () => {
    expect(await view({ max_chars: 3 }, '=abcdef')).toBe('abc\n(3 more characters are not shown)');
  });

  it('shows the functions of Python code', async () => {
    expect(await view({ view: 'signatures' }, `=${code}`)).toBe(
      'def square(x: int) -> int:\n    """x times x"""\n\ndef cube(\n    x,\n):',
    );
    expect(await view({ view: 'signatures' })).toBe('There are no functions yet.');
  });

  it('is the same file under every spelling of its path', () => {
    expect(['a/b.txt', './a//b.txt', 'a\\b.txt'].map(normalizePath)).toEqual(['a/b.txt', 'a/b.txt', 'a/b.txt']);
    expect(['/a', '../a', 'a/../b', 'C:/a', '.', ''].map(normalizePath)).toEqual([...Array(6)]);
  });
});
