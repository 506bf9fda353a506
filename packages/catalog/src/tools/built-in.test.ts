import type { WorkspaceToolContext } from '@millrace/core';
import { afterEach, describe, expect, it } from 'vitest';
import type { TemporaryWorkspace } from '../../../../test/support/fakes/temporary-workspace.ts';
import { temporaryWorkspace } from '../../../../test/support/fakes/temporary-workspace.ts';
import { realSleep } from '../../test-support/real-sleep.ts';
import { argumentsOf } from '../nodes/agent/tooling/function-tools.ts';
import { builtInTools } from './built-in.ts';

let place: TemporaryWorkspace | undefined;
afterEach(async () => {
  await place?.remove();
  place = undefined;
});

/** A way to call built-in functions on these files. */
async function withFiles(files: Readonly<Record<string, string>> = {}) {
  place = await temporaryWorkspace(files);
  const { workspace } = place;
  const context: WorkspaceToolContext = {
    run: 'run_1',
    node: 'A',
    key: 'k',
    compat: false,
    signal: new AbortController().signal,
    workspace,
    fetch: () => Promise.reject(new Error('This test expects no requests.')),
    emit: () => undefined,
    sleep: realSleep,
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
  };
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<unknown> => {
    const tool = builtInTools.find((one) => one.name === name);
    if (tool === undefined || !('execute' in tool)) throw new Error(`there is no function ${name}`);
    return tool.execute(argumentsOf(tool, args), context);
  };
  const textOf = async (path: string) => new TextDecoder().decode(await workspace.read(path));
  return { call, textOf };
}

describe('the built-in functions', () => {
  it('have unique names', () => {
    const names = builtInTools.map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
    expect(names.every((name) => /^[a-z_]+$/.test(name))).toBe(true);
  });

  it('report what they need when they are not available', async () => {
    const { call } = await withFiles();

    await expect(call('web_search', { query: 'x' })).rejects.toThrow('it needs a search service');
  });

  it('return the time and the weather', async () => {
    const { call } = await withFiles();

    expect(await call('get_current_time')).toMatch(/^2026-01-0[123] \d\d:\d\d:05$/);
    expect(await call('get_weather', { city_num: 3701 })).toEqual({ city_num: 3701, temperature: 15, unit: 'celsius' });
  });
});

describe('functions on files', () => {
  it('list files', async () => {
    const { call } = await withFiles({ 'a/b/c.txt': 'c', 'd.txt': 'dd', '.hidden': '' });

    expect(await call('list_directory')).toEqual({
      directory: '.',
      entries: [
        { path: 'a', type: 'folder', size: 0 },
        { path: 'd.txt', type: 'file', size: 2 },
      ],
      truncated: false,
    });
    expect(await call('describe_available_files', { limit: 2 })).toMatchObject({
      files: [{ path: 'a' }, { path: 'a/b' }],
      truncated: true,
    });
  });

  it('write and read', async () => {
    const { call } = await withFiles();

    await call('save_file', { path: 'n/x.txt', content: 'one\n' });
    await call('save_file', { path: 'n/x.txt', content: 'two\nthree', mode: 'append' });

    expect(await call('read_file', { path: 'n/x.txt' })).toBe('one\ntwo\nthree');
    expect(await call('read_text_file_snippet', { path: 'n/x.txt', offset: 4, limit: 3 })).toEqual({
      snippet: 'two',
      truncated: true,
      length: 13,
    });
    expect(await call('read_file_segment', { path: 'n/x.txt', start_line: 2, inline_line_numbers: true })).toEqual({
      path: 'n/x.txt',
      content: '2: two\n3: three',
      start_line: 2,
      end_line: 3,
      total_lines: 3,
    });
  });

  it.each([
    ['a\nb\nc\n', { start_line: 2, replacement: 'B' }, 'a\nB\nc\n'],
    ['a\nb\nc\n', { start_line: 1, end_line: 2, replacement: '' }, 'c\n'],
    ['a\nb\n', { start_line: 2, end_line: 1, replacement: 'x\ny' }, 'a\nx\ny\nb\n'],
    ['a', { start_line: 2, replacement: 'b' }, 'a\nb'],
    ['a\r\nb\r\n', { start_line: 1, replacement: 'x\ny' }, 'x\r\ny\r\nb\r\n'],
    ['a\n', { start_line: 1, replacement: 'b', newline: 'crlf', ensure_trailing_newline: true }, 'b\r\n'],
  ])('edit lines: %j with %j', async (text, edit, after) => {
    const { call, textOf } = await withFiles({ 'f.txt': text });

    await call('apply_text_edits', { path: 'f.txt', ...edit });

    expect(await textOf('f.txt')).toBe(after);
  });

  it('search the lines of files by patterns and texts', async () => {
    const { call } = await withFiles({ 'a.py': 'x = 1\nY = 2\nz = 3', 'b.txt': 'y', bin: '\0y' });

    expect(
      await call('search_in_files', { pattern: '^y\\b', globs: ['*.py'], before_context: 1, after_context: 0 }),
    ).toEqual({
      matches: [{ path: 'a.py', line: 2, text: 'Y = 2', before: ['x = 1'], after: [] }],
      truncated: false,
    });
    expect(await call('search_in_files', { pattern: 'y', use_regex: false, exclude_globs: ['*.py'] })).toMatchObject({
      matches: [{ path: 'b.txt', line: 1 }],
    });
  });

  it('move, copy and delete', async () => {
    const { call, textOf } = await withFiles({ 'a.txt': 'a', 'd/e.txt': 'e' });

    await call('copy_path', { src: 'd', dst: 'f' });
    await call('move_path', { src: 'a.txt', dst: 'f/a.txt' });

    expect([await textOf('f/e.txt'), await textOf('d/e.txt'), await textOf('f/a.txt')]).toEqual(['e', 'e', 'a']);
    await expect(call('rename_path', { src: 'd/e.txt', dst: 'f/a.txt' })).rejects.toThrow('is there already');
    await expect(call('delete_path', { path: 'f' })).rejects.toThrow('is not empty');
    expect(await call('delete_path', { path: 'f', recursive: true })).toEqual({ path: 'f', deleted: true });
    await expect(call('delete_path', { path: 'f' })).rejects.toThrow('there is no "f"');
  });

  it('load images for a model', async () => {
    const { call } = await withFiles({ 'p.png': 'abc' });

    expect(await call('load_file', { path_or_id: 'p.png' })).toMatchObject([
      { type: 'image', attachment: { name: 'p.png', mimeType: 'image/png', uri: 'data:image/png;base64,YWJj' } },
    ]);
  });

  it.each([
    ['save_file', { path: '../x', content: '' }, 'leads out of'],
    ['read_file', { path: '/etc/hostname' }, 'leads out of'],
    ['save_file', { path: './attachments/x', content: '' }, 'is an attachment'],
    ['copy_path', { src: 'a', dst: 'a/b' }, 'is inside'],
  ])('refuse forbidden actions: %s with %j', async (name, args, why) => {
    const { call } = await withFiles({ 'a/x': '' });

    await expect(call(name, args)).rejects.toThrow(why);
  });
});

describe('functions for research', () => {
  it('collect results', async () => {
    const { call } = await withFiles();
    const result = { title: 'T', abs: 'A', detail: 'D' };

    await Promise.all(['u1', 'u2', 'u3'].map((url) => call('search_save_result', { url, ...result })));
    await call('search_high_light_key', { url: 'u2', keys: ['k'] });

    const saved = Object.keys((await call('search_load_all')) as object); // an object by URL, in the order of arrival
    expect(saved.sort()).toEqual(['u1', 'u2', 'u3']);
    expect(await call('search_load_by_url', { url: 'u2' })).toEqual({ url: 'u2', ...result, high_light_keys: ['k'] });
    await expect(call('search_load_by_url', { url: 'u4' })).rejects.toThrow('no saved result of u4');
  });

  it('write a report chapter by chapter', async () => {
    const { call, textOf } = await withFiles();
    const create = (title: string, level: number) =>
      call('report_create_chapter', { title, level, content: `# ${title.split(/[/|]/).at(-1)}\nText.` });

    await create('Intro', 1);
    await create('End', 1);
    await create('Intro|Results', 1);
    await create('Results/Tables', 2);
    await call('report_continue_chapter', { title: 'Tables', content: 'More.' });
    await call('report_rewrite_chapter', { title: 'Results', content: 'New.' });
    await call('report_reorder_chapters', { new_order: ['End', 'Results', 'Intro'] });

    expect(await textOf('deep_research/report.md')).toBe(
      '# End\n\nText.\n\n# Results\n\nNew.\n\n## Tables\n\nText.\n\nMore.\n\n# Intro\n\nText.\n',
    );
    expect(await call('report_read_chapter', { title: 'Results/Tables' })).toBe('## Tables\n\nText.\n\nMore.\n');
    await expect(create('Results/Tables', 2)).rejects.toThrow('there is a chapter "Results/Tables" already');
    await call('report_del_chapter', { title: 'Results' });
    expect(await call('report_outline')).toBe('# End\n# Intro');
  });
});
