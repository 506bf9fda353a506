import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { command } from '../../support/processes/command.ts';
import { millrace } from '../../support/processes/millrace.ts';

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));

const cwd = directoryBeforeAll();

const good = 'graph:\n  id: good\n  nodes:\n    - {id: Alpha, type: literal, config: {content: hello}}\n';
const dangling = `${good}  edges:\n    - from: Alpha\n      to: Alhpa\n`;
const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]']
  .concat('bcdefghi'.split('').map((name, n) => `${name}: &${name} [${`*${'abcdefgh'[n]}, `.repeat(9)}x]`))
  .join('\n');

beforeAll(() => {
  writeFileSync(join(cwd, 'good.yaml'), good);
  writeFileSync(join(cwd, 'dangling.yml'), dangling);
  writeFileSync(join(cwd, 'bomb.yaml'), bomb);
  writeFileSync(join(cwd, 'latin1.yaml'), Buffer.from('graph: {id: \xe4}\n', 'latin1'));
  writeFileSync(join(cwd, 'huge.yaml'), Buffer.alloc(10_000_000, 0x20));
});

async function issuesOf(file: string) {
  const { code, stdout } = await command(['check', join(cwd, file), '--json'], {});
  const report = JSON.parse(stdout);
  return { code, ok: report.ok, codes: report.files[0].issues.map((issue: { code: string }) => issue.code) };
}

describe('millrace check', () => {
  it('accepts a good file', async () => {
    const { code, stdout, stderr } = await millrace(['check', 'good.yaml'], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('1 file, 0 errors');
  });

  it('accepts every example', async () => {
    const env = { MILLRACE_EXTENSIONS: join(examples, 'poem-functions.mjs') };
    const { code, stdout } = await command(['check', examples, '--json'], env);
    expect(code).toBe(0);
    const { files } = JSON.parse(stdout);
    expect(files.map(({ file }: { file: string }) => file)).toContain(join(examples, 'review-loop.yaml'));
  });

  it('reports position, path and hint of a problem', async () => {
    const { code, stdout } = await command(['check', join(cwd, 'dangling.yml')], {});
    expect(code).toBe(2);
    expect(stdout.replace(join(cwd, '/'), '')).toMatch(
      /^dangling\.yml:7:\d+ graph\.edges\[0\]\.to .*Alhpa.*\[E_EDGE_TARGET_UNKNOWN\]\n {2}hint: .*Alpha/,
    );
  });

  it('reports all files of a directory as JSON', async () => {
    const { code, stdout } = await millrace(['check', '.', '--json'], { cwd });
    const { ok, files } = JSON.parse(stdout);
    expect({ code, ok }).toEqual({ code: 2, ok: false });
    expect(files.map((file: { file: string; ok: boolean }) => [file.file, file.ok])).toEqual([
      ['bomb.yaml', false],
      ['dangling.yml', false],
      ['good.yaml', true],
      ['huge.yaml', false],
      ['latin1.yaml', false],
    ]);
    expect(files[1].issues[0]).toMatchObject({
      code: 'E_EDGE_TARGET_UNKNOWN',
      severity: 'error',
      path: 'graph.edges[0].to',
      line: 7,
    });
  });

  it('annotates problems for GitHub Actions, from the folder of the checkout', async () => {
    const env = { GITHUB_WORKSPACE: cwd };
    const { code, stdout } = await command(['check', join(cwd, 'dangling.yml'), '--format', 'github'], env);

    expect(code).toBe(2);
    expect(stdout).toMatch(
      /^::error file=dangling\.yml,line=7,col=\d+,title=E_EDGE_TARGET_UNKNOWN::graph\.edges\[0\]\.to .*Alhpa.*%0Ahint: .*\n$/,
    );
  });

  it('accepts one spelling of each format', async () => {
    const file = join(cwd, 'dangling.yml');
    const [json, format] = await Promise.all([
      command(['check', file, '--json'], {}),
      command(['check', file, '--format', 'json'], {}),
    ]);

    expect(format).toEqual(json);
    expect(await command(['check', file, '--format', 'xml'], {})).toMatchObject({ code: 2, stdout: '' });
    expect(await command(['check', file, '--format', 'github', '--json'], {})).toMatchObject({ code: 2 });
  });

  it('also takes the file from --path', async () => {
    const { code } = await command(['check', '--path', join(cwd, 'dangling.yml')], {});
    expect(code).toBe(2);
  });

  it('reports files that are binary, too large, expanding or missing with their own codes', async () => {
    expect(await issuesOf('latin1.yaml')).toEqual({ code: 2, ok: false, codes: ['E_NOT_UTF8'] });
    expect(await issuesOf('huge.yaml')).toEqual({ code: 2, ok: false, codes: ['E_FILE_TOO_LARGE'] });
    expect(await issuesOf('bomb.yaml')).toEqual({ code: 2, ok: false, codes: ['E_YAML_ALIASES'] });
    expect(await issuesOf('missing.yaml')).toEqual({ code: 2, ok: false, codes: ['E_FILE_UNREADABLE'] });
  });
});

describe('the command line', () => {
  it('prints help', async () => {
    const { code, stdout } = await millrace(['--help']);
    expect(code).toBe(0);
    for (const command of ['demo', 'check', 'run', 'worker', 'up', 'watch']) expect(stdout).toContain(command);
  });

  it.each([[['check']], [['run']], [['fly']], [['check', '--what']], [['runs', '--limit', '0']]])(
    'refuses %j with exit code 2',
    async (args) => {
      const { code, stdout, stderr } = await command(args, {});
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).not.toBe('');
    },
  );

  it('reports a file of the installation that is missing as a bug', async () => {
    const missing = `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const read = fs.readFileSync;
fs.readFileSync = (path, ...more) => read(String(path).endsWith('.lua') ? '/missing.lua' : path, ...more);
syncBuiltinESMExports();`;
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(missing)}` };

    const { code, stderr } = await millrace(['doctor'], { env });

    expect(code).toBe(70);
    expect(stderr).toContain('/missing.lua');
  });

  it('names every unusable setting of the environment at once', async () => {
    const env = { REDIS_URL: 'localhost:6379', MILLRACE_LOG_LEVEL: 'loud' };
    const { code, stderr } = await command(['runs'], env);
    expect(code).toBe(2);
    expect(stderr).toContain('REDIS_URL');
    expect(stderr).toContain('MILLRACE_LOG_LEVEL');
  });

  it('prints the JSON Schema of workflow files', async () => {
    const { code, stdout } = await command(['schema'], {});
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty('$schema');
  });

  it('prints the JSON Schema of files of tests, by which those of the examples are correct', async () => {
    const { code, stdout } = await command(['schema', '--test'], {});
    const schema = z.fromJSONSchema(JSON.parse(stdout));
    const example = (name: string) => parse(readFileSync(join(examples, name), 'utf8'));

    expect(code).toBe(0);
    expect(schema.safeParse(example('refund.test.yaml')).error).toBeUndefined();
    expect(schema.safeParse(example('refund.yaml')).success).toBe(false);
  });

  it('writes the JSON Schema into a file for editors', async () => {
    const file = join(cwd, 'workflow.schema.json');
    const [printed, written] = [await command(['schema'], {}), await command(['schema', '--out', file], {})];

    expect(written).toMatchObject({ code: 0, stdout: '' });
    expect(readFileSync(file, 'utf8')).toBe(printed.stdout);
    expect(await command(['schema', '--out', join(cwd, 'no', 'folder.json')], {})).toMatchObject({ code: 2 });
  });
});
