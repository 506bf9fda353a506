import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { millrace, startServer } from '../../support/processes/millrace.ts';

/* Other programs use the Redis of `millrace up`, as the guide tells their authors. */

const root = fileURLToPath(new URL('../../../', import.meta.url));
const guide = readFileSync(join(root, 'docs/guide/intake.md'), 'utf8');
const portraits =
  'graph:\n  id: portraits\n  nodes:\n    - { id: Painter, type: literal, config: { content: done } }\n';

const cwd = directoryBeforeAll();
const env = () => ({ XDG_DATA_HOME: cwd, MILLRACE_DIR: '' });
const up = openBeforeAll(() => startServer(['up', '--port', '0'], { cwd, env: env() }));
let url: string;
beforeAll(async () => {
  await up.says(/Working on runs/);
  url = (await millrace(['redis-url'], { cwd, env: env() })).stdout.trim();
  writeFileSync(join(cwd, 'portraits.yaml'), portraits);
  expect(await millrace(['workflows', 'push', 'portraits.yaml'], { cwd, env: env() })).toMatchObject({ code: 0 });
});

/** Runs a program in the repository, whose packages replace those that the reader has installed. */
async function run(program: string, file: string): Promise<string> {
  const child = spawn(program, [file], { cwd: root, env: { ...process.env, REDIS_URL: url }, stdio: 'pipe' });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await once(child, 'exit');
  const [stdout, stderr] = await said;
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

describe('the Redis of millrace up', () => {
  it('has the URL that redis-url prints, in every directory', async () => {
    const printed = await millrace(['redis-url'], { cwd: tmpdir(), env: env() });
    expect(printed).toEqual({ code: 0, stdout: `${url}\n`, stderr: '' });
  });

  it('has a password that up does not print, and names the command that prints it', async () => {
    const [said] = await up.says(/^.*Working on runs/s);
    const { password } = new URL(url);

    expect(password).toMatch(/^[0-9a-f]{64}$/);
    expect(said).toContain('Redis for other programs: `millrace redis-url`');
    expect(said).not.toContain(password);
  });

  it('accepts redis-cli with the URL', async () => {
    // -e: exit with an error when the login or the command fails
    const file = join(cwd, 'redis-cli.sh');
    writeFileSync(file, 'redis-cli -e -u "$REDIS_URL" --no-auth-warning ping');

    expect(await run('sh', file)).toBe('PONG\n');
  });

  it('is reported by commands that join it only with --verbose', async () => {
    const quiet = await millrace(['runs'], { cwd, env: env() });
    const verbose = await millrace(['--verbose', 'runs'], { cwd, env: env() });

    expect(quiet).toMatchObject({ code: 0, stderr: expect.stringMatching(/^There are no runs yet\. .+\n$/) });
    expect(verbose).toMatchObject({ code: 0, stderr: expect.stringContaining('joined the running Redis') });
  });

  it("accepts jobs of the guide's Node.js program in the intake queue", async () => {
    const [, program = ''] = /```ts\n(import \{ Queue \} from 'bullmq';\n.*?)```/s.exec(guide) ?? [];
    const file = join(root, `node_modules/.cache/intake-${process.pid}.mjs`);
    writeFileSync(file, program);
    await run(process.execPath, file).finally(() => rmSync(file));

    // The id that the guide derives from the id of the job.
    const id = await run('sh', commandIn(`printf 'default/order-4711' | sha256sum | cut -c1-32`));
    const watched = await untilKnown(`run_${id.trim()}`);
    expect(watched).toMatchObject({ code: 0, stdout: 'done\n' });
  });
});

describe('a program in Python', () => {
  it('starts a run over HTTP with the standard library, as printed in the guide', async () => {
    const [, program = ''] = /```python\n(import json\nimport urllib.*?)```/s.exec(guide) ?? [];
    const file = join(cwd, 'start.py');
    writeFileSync(file, program.replace('http://127.0.0.1:4700', up.url));

    expect(await run('python3', file)).toBe('done\n');
  });

  it('reaches the Redis with the URL alone, and compiles as printed in the guide', async () => {
    const [, program = ''] = /```python\n(.*?)```/s.exec(guide) ?? [];
    writeFileSync(join(cwd, 'intake.py'), program);
    writeFileSync(join(cwd, 'ping.py'), ping);
    expect(await run('python3', join(cwd, 'ping.py'))).toBe("b'+OK\\r\\n+PONG\\r\\n'\n");
  });
});

/** Speaks the protocol of Redis itself: the client of BullMQ for Python is not installed here. */
const ping = `
import os, py_compile, socket
from urllib.parse import urlparse

py_compile.compile(os.path.join(os.path.dirname(__file__), "intake.py"), doraise=True)
url = urlparse(os.environ["REDIS_URL"])
with socket.create_connection((url.hostname, url.port)) as connection:
    connection.sendall(f"AUTH {url.username} {url.password}\\r\\nPING\\r\\n".encode())
    answer = b""
    while b"PONG" not in answer and b"-" not in answer:
        answer += connection.recv(100)
    while not answer.endswith(b"\\r\\n"):
        answer += connection.recv(100)
print(answer)
`;

/** Writes a command of the guide to a file. */
function commandIn(command: string): string {
  expect(guide).toContain(command);
  const file = join(cwd, 'command.sh');
  writeFileSync(file, command);
  return file;
}

/** Watches a run from the moment at which its job has been taken. */
async function untilKnown(id: string) {
  for (;;) {
    const watched = await millrace(['watch', id], { cwd, env: env() });
    if (watched.code !== 3) return watched;
  }
}
