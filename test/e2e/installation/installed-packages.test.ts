import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import {
  installedPaths,
  installTarballs,
  ownEnvironment,
  packAll,
  pathsOf,
  versionsIn,
} from '../../support/processes/installed-app.ts';
import { startMillrace } from '../../support/processes/millrace.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = directoryBeforeAll();
let tarballs: ReadonlyMap<string, string>;
/** The command and the client alone, and all packages. */
let installed: ReturnType<typeof installTarballs>;
let libraries: ReturnType<typeof installTarballs>;
/** The program of the command, as seen from the app. */
const program = 'node_modules/millrace/bin/millrace.js';
/** Both versions of TypeScript that users have: the packages are compiled with one, and the client with the other. */
const tsc7 = fileURLToPath(new URL('../../../node_modules/typescript-7/bin/tsc', import.meta.url));
const tsc6 = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
const app = (...parts: readonly string[]) => join(folder, 'app', ...parts);
const all = (...parts: readonly string[]) => join(folder, 'all', ...parts);

beforeAll(() => {
  tarballs = packAll(join(folder, 'tarballs'));
  installed = installTarballs(app(), tarballs, ['millrace', '@millrace/client']);
  libraries = installTarballs(all(), tarballs, [...tarballs.keys()]);
}, 120_000);

const inApp = (command: string, args: readonly string[]) => runIn(app(), [command, ...args]);

/** Runs a program in a folder as a user would: nothing of the repository is in its environment. */
function runIn(cwd: string, [command = '', ...args]: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: 50_000,
    env: { ...ownEnvironment(), ...env },
  });
  return { status, stdout, stderr };
}

/** Bytes that a file or folder of this size occupies in blocks of a usual file system. */
const blocksOf = (size: number): number => Math.ceil(size / 4096) * 4096;

const flow = (provider: string) => `graph:
  id: poem
  nodes:
    - { id: Writer, type: agent, config: { provider: ${provider}, name: some-model, api_key: none, role: Write. } }
`;

const workflowWithExtensions = `graph:
  id: travel
  nodes:
    - id: Clerk
      type: agent
      config: { provider: scripted, name: clerk, tooling: [{ type: function, config: { tools: [{ name: "travel:All" }] } }] }
    - { id: Answer, type: passthrough, config: {} }
  edges:
    - { from: Clerk, to: Answer, processor: { type: function, config: { name: first_line } } }
`;

const scriptWithExtensions = `rules:
  - when: { last_role: user }
    reply: { tool_calls: [{ name: book_flight, arguments: { from: Rome, to: Oslo } }] }
default: "booked: Rome to Oslo\\n(the second line)"
`;

describe('the packages, installed from their tarballs', () => {
  it('are installed without a warning about engines, peers or deprecated packages', () => {
    expect(installed.said + libraries.said).not.toMatch(/EBADENGINE|ERESOLVE|deprecated/);
  });

  it('do not include optional SDKs', () => {
    const optional = [
      '@anthropic-ai/sdk',
      '@google/genai',
      '@opentelemetry/sdk-trace-base',
      '@bull-board/api',
      'read-excel-file',
      'linkedom',
      '@mozilla/readability',
      'turndown',
    ];

    expect(optional.filter((name) => existsSync(all('node_modules', name)))).toEqual([]);
    expect(libraries.paths).toContain('node_modules/openai');
  });

  it('take at most 30 MB on disk, as the guide says', () => {
    const paths = readdirSync(app('node_modules'), { recursive: true, encoding: 'utf8' });
    const bytes = paths.reduce((sum, path) => sum + blocksOf(lstatSync(app('node_modules', path)).size), 0);
    const megabytes = Math.round(bytes / 1024 / 1024);
    const page = readFileSync(new URL('../../../docs/guide/compatibility.md', import.meta.url), 'utf8');
    const [, packages, stated] = /server and worker: (\d+) packages, (\d+) MB on disk/.exec(page) ?? [];

    expect(megabytes).toBeLessThanOrEqual(30);
    expect(Math.abs(Number(stated) - megabytes)).toBeLessThanOrEqual(1);
    // The app has the client as well, so the packages of the command are counted among those that npm installed.
    const ofCommand = pathsOf(['millrace'], tarballs);
    expect(installedPaths(app()).toSorted()).toEqual(installed.paths.toSorted());
    expect(installed.paths).toEqual(expect.arrayContaining([...ofCommand]));
    expect(ofCommand).toHaveLength(Number(packages));
  });

  it.each([
    ['millrace', ['bin/millrace.js', 'dist/bundle/main.js', 'dist/bundle/THIRD-PARTY-NOTICES.txt']],
    ['@millrace/client', ['dist/index.js', 'dist/index.d.ts']],
    ['@millrace/core', ['dist/index.js', 'dist/index.d.ts']],
    ['@millrace/runtime', ['dist/index.js', 'dist/index.d.ts']],
  ])('contain what %s needs, its license and its README, and no tests, sources or source maps', (name, needed) => {
    const found = readdirSync(all('node_modules', name), { recursive: true, encoding: 'utf8' });
    const files = found.filter((file) => !/^(?:node_modules|examples)\//.test(file));
    const manifest = JSON.parse(readFileSync(all('node_modules', name, 'package.json'), 'utf8'));

    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', ...needed]));
    expect(files.filter((file) => /\.test\.|\.map$|tsbuildinfo|(?<!\.d)\.ts$/.test(file))).toEqual([]);
    expect(manifest).toMatchObject({ license: 'Apache-2.0', publishConfig: { access: 'public', provenance: true } });
    expect(manifest).not.toHaveProperty('private');
    expect(JSON.stringify(manifest)).not.toContain('./src/');
  });

  it('run the demo', () => {
    const { status, stdout } = inApp('npx', ['--no-install', 'millrace', 'demo']);

    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringMatching(/kill -9.*completed/s) });
  });

  it('create a workflow from a template that runs', () => {
    const made = inApp(process.execPath, [program, 'init', 'team', '--template', 'map-reduce']);
    const files = ['team/map-reduce.yaml', '--script', 'team/map-reduce.script.yaml'];
    const ran = inApp(process.execPath, [program, 'run', ...files, '--local', '--input', 'Green roofs']);

    expect({ made, ran }).toMatchObject({ made: { status: 0 }, ran: { status: 0 } });
    expect(ran.stdout).toContain('Green roofs weigh 80 kg');
  });

  it('start a server and a worker that the client can use', async () => {
    const env = { ...ownEnvironment(), MILLRACE_DIR: join(folder, 'data') };
    const up = startMillrace(['up', '--port', '0'], {
      cwd: app(),
      build: app(program),
      env: env as Record<string, string>,
    });
    const [, url = ''] = await up.says(/HTTP API is at (http:\S+)/);
    writeFileSync(
      app('client.js'),
      `import { Millrace } from '@millrace/client';
       const millrace = new Millrace({ url: ${JSON.stringify(url)} });
       const yaml = 'graph: { id: poem, nodes: [{ id: Poem, type: literal, config: { content: Rain. } }] }';
       const { output } = await millrace.runs.execute({ yaml }, { input: 'A poem.' });
       const statusOf = async (path) => (await fetch(${JSON.stringify(url)} + path)).status;
       console.log(output, await statusOf('/ui/'), await statusOf('/docs'), await statusOf('/admin/queues'));
       const page = await (await fetch(${JSON.stringify(url)} + '/ui/')).text();
       const [asset] = /\\/ui\\/assets\\/index-[^"]+\\.js/.exec(page) ?? [];
       for (const encoding of ['identity', 'gzip', 'gzip, deflate, br']) {
         const response = await fetch(${JSON.stringify(url)} + asset, { headers: { 'accept-encoding': encoding } });
         console.log(response.status, response.headers.get('content-encoding'), /^\\w/.test(await response.text()));
       }`,
    );
    const { stdout, stderr } = inApp(process.execPath, ['client.js']);
    up.signal('SIGTERM');

    expect({ stdout, stderr }).toEqual({ stdout: expect.stringMatching(/^Rain. 200 200 501\n200 null/), stderr: '' });
    expect(stdout.split('\n').slice(1, -1)).toEqual(['200 null true', '200 gzip true', '200 gzip true']);
    expect(await up.ended).toMatchObject({ code: 0 });
  });

  it('report before and during a run which command installs a missing SDK', () => {
    writeFileSync(app('flow.yaml'), flow('anthropic'));
    const command = 'npm install @anthropic-ai/sdk@1';
    const checked = inApp(process.execPath, [program, 'check', 'flow.yaml']);
    const ran = inApp(process.execPath, [program, 'run', 'flow.yaml', '--local', '--input', 'Rain.']);

    expect(checked.stdout).toContain('W_PACKAGE_MISSING');
    expect(checked.stdout).toContain(command);
    expect(ran).toMatchObject({ status: 1, stderr: expect.stringContaining('failed: PACKAGE_MISSING') });
    expect(ran.stderr).toContain(command);
  });

  it('serve everything but the pages where the dashboard is not installed, as in a clone after its demo', async () => {
    const bundle = join(folder, 'no-dashboard');
    cpSync(app('node_modules/millrace'), bundle, { recursive: true });
    const env = { ...ownEnvironment(), MILLRACE_DIR: join(folder, 'data-without-pages') };
    const up = startMillrace(['up', '--port', '0'], {
      cwd: folder,
      build: join(bundle, 'bin/millrace.js'),
      env: env as Record<string, string>,
    });
    const [, url = ''] = await up.says(/HTTP API is at (http:\S+)/);
    const replies = await Promise.all(['/readyz', '/ui/', '/docs'].map((path) => fetch(url + path)));
    up.signal('SIGTERM');

    expect(replies.map(({ status }) => status)).toEqual([200, 503, 503]);
    expect(await replies[1]?.text()).toContain('`npm run setup`');
    expect(await up.ended).toMatchObject({ code: 0 });
  });
});

describe('extensions in TypeScript, outside of the repository', () => {
  const guide = readFileSync(new URL('../../../docs/guide/extending.md', import.meta.url), 'utf8');
  const [, compilerOptions = ''] = /^npx tsc extensions\.ts (.*)$/m.exec(guide) ?? [];
  const [, example = ''] = /^```ts\n(.*?)^```$/ms.exec(guide) ?? [];

  it('compile with the types of the packages, which find mistakes, and run in a workflow', () => {
    writeFileSync(all('extensions.ts'), example);
    writeFileSync(all('wrong.ts'), example.replace('text.length > 1000', 'text.lengthy > 1000'));
    writeFileSync(all('tools.yaml'), workflowWithExtensions);
    writeFileSync(all('tools.script.yaml'), scriptWithExtensions);

    const compiled = runIn(all(), [process.execPath, tsc7, 'extensions.ts', 'wrong.ts', ...compilerOptions.split(' ')]);
    const args = [program, 'run', 'tools.yaml', '--local', '--script', 'tools.script.yaml', '--input', 'Go.'];
    const ran = runIn(all(), [process.execPath, ...args], { MILLRACE_EXTENSIONS: './extensions.js' });

    expect(compiled.stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/^wrong\.ts\(\d+,\d+\): error TS2551: .*'lengthy'/),
    ]);
    expect(ran).toMatchObject({ status: 0, stdout: 'booked: Rome to Oslo\n' });
  });
});

describe('the client alone', () => {
  it('installs at most ten packages, and no other one of Millrace', () => {
    const { paths, said } = installTarballs(join(folder, 'client-app'), tarballs, ['@millrace/client']);

    expect(paths.length).toBeLessThanOrEqual(10);
    expect(paths.filter((path) => path.includes('millrace'))).toEqual(['node_modules/@millrace/client']);
    expect(said).not.toMatch(/EBADENGINE|ERESOLVE|deprecated/);
  });

  it('checks the options of its methods, with all declarations checked', () => {
    const typed = join(folder, 'client-app');
    const compilerOptions = { module: 'nodenext', target: 'es2023', lib: ['es2023', 'dom', 'dom.iterable'], types: [] };
    writeFileSync(
      join(typed, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...compilerOptions, noEmit: true } }),
    );
    writeFileSync(
      join(typed, 'start.ts'),
      `import { Millrace } from '@millrace/client';
       const millrace = new Millrace({ url: 'http://127.0.0.1:4700' });
       const run = await millrace.runs.start('poem', { input: 'Rain.' });
       const { output }: { output: string | null } = await run.result();
       await millrace.runs.start('poem', { nonsense: 1 });
       console.log(output);`,
    );
    const { stdout } = spawnSync(process.execPath, [tsc6, '--project', typed], {
      encoding: 'utf8',
      env: ownEnvironment(),
    });

    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/start\.ts\(5,\d+\): error TS2353: .*'nonsense'/),
    ]);
  });
});

describe('the packages of the container image', () => {
  it('have the versions of the committed lockfile, all of them', () => {
    const optional = spawnSync(process.execPath, ['scripts/release/optional.mjs'], { cwd: root, encoding: 'utf8' });
    const names = ['millrace', ...optional.stdout.trim().split(' ')];
    const image = join(folder, 'image');

    installTarballs(image, tarballs, names);

    const locked = new Set(
      Object.entries(versionsIn(join(root, 'package-lock.json'))).map(([path, version]) => nameAt(path, version)),
    );
    const { '': _app, ...inImage } = versionsIn(join(image, 'node_modules/.package-lock.json'));
    const others = Object.entries(inImage).map(([path, version]) => nameAt(path, version));
    expect(others.length).toBeGreaterThan(50);
    expect(others.filter((name) => !/^(?:@millrace\/\w+|millrace)@/.test(name) && !locked.has(name))).toEqual([]);
    expect(others).toEqual(expect.arrayContaining(names.map((name) => expect.stringMatching(`^${name}@`))));
  });

  it('are installed by the Dockerfile from that lockfile', () => {
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');

    expect(dockerfile).toContain('scripts/release/lock.mjs');
    expect(dockerfile).toContain('npm ci --prefix /app');
    expect(dockerfile).not.toContain('npm install');
  });
});

/** Returns a package as in `zod@4.0.0`, by its path in a lockfile. */
const nameAt = (path: string, version: string | undefined): string =>
  `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`;
