import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createVocabulary } from '@millrace/catalog';
import { textOf } from '@millrace/core';
import type { Finding, RunDescription } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { millrace } from '../../support/processes/millrace.ts';
import { newSleeper } from '../../support/processes/processes.ts';
import type { WorkerProcess } from '../../support/processes/worker-process.ts';
import { startWorkerProcess } from '../../support/processes/worker-process.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { untilEnded } from '../../support/runs/watching.ts';

const vocabulary = createVocabulary();

const redis = openBeforeAll(startRedis);
const runtime = openBeforeAll(() => openRuntime({ redisUrl: redis.url }, vocabulary, () => undefined));
/** A PATH with the programs that these tests need, and no bubblewrap. */
const withoutBubblewrap = directoryBeforeAll();
let worker: WorkerProcess | undefined;

beforeAll(async () => {
  const python = await outputOf('python3', '-c', 'import sys; print(sys.executable)');
  await symlink(python, join(withoutBubblewrap, 'python3'));
  for (const name of ['sh', 'cat', 'cut', 'grep', 'prlimit', 'sleep', 'true']) {
    await symlink(await outputOf('sh', '-c', `command -v ${name}`), join(withoutBubblewrap, name));
  }
});
afterEach(async () => {
  await worker?.kill();
  worker = undefined;
});

async function outputOf(file: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(file, [...args]);
  return stdout.trim();
}

const program = `graph:
  id: program
  start: [Program]
  nodes: [{id: Program, type: python, config: {timeout_seconds: 20}}]
  edges: []
`;

const agent = (id: string, params: string, tooling: string) => `graph:
  id: ${id}
  start: [Agent]
  nodes:
    - id: Agent
      type: agent
      config:
        provider: scripted
        name: m
        params: ${params}
        tooling: [${tooling}]
  edges: []
`;

const coder = agent(
  'coder',
  `{default: {tool_calls: [{name: execute_code, arguments: {code: print(1)}}]}, rules: [{when: {last_role: tool}, reply: '{last}'}]}`,
  '{type: function, config: {tools: [{name: execute_code}]}}',
);

const server = agent(
  'server',
  '{rules: [{when: {}, replies: [done]}]}',
  '{type: mcp_local, config: {command: sh, args: [-c, exit 1], startup_timeout: 1}}',
);

let started = 0;
async function run(tenant: string, workflow: string, input: string): Promise<RunDescription | undefined> {
  const name = `sandbox-${started++}`;
  const id = await runtime.runs.start({
    workflow: workflowIn(workflow, vocabulary),
    input,
    run: tenant === 'default' ? name : `${tenant}~${name}`,
  });
  await untilEnded(runtime.runs, id);
  return runtime.runs.describe(id);
}

async function doctorFinding(
  subject: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Finding | undefined> {
  const { stdout } = await millrace(['doctor', '--json'], { env: { REDIS_URL: redis.url, ...env } });
  const findings: readonly Finding[] = JSON.parse(stdout);
  return findings.find((finding) => finding.subject === subject);
}

describe('on a machine without bubblewrap', () => {
  it('a worker refuses programs of other tenants, runs those of the default one, and reports so at its start', async () => {
    worker = await startWorkerProcess(redis.url, { PATH: withoutBubblewrap });
    const sleeper = newSleeper();
    const script = `import subprocess\nsubprocess.Popen(["sleep", "${sleeper.seconds}"], start_new_session=True)\nprint(1)`;

    const [own, foreign] = await Promise.all([run('default', program, script), run('acme', program, 'print(1)')]);

    await worker.says(/programs of the tenant default run with limits .* those of other tenants do not run\./);
    expect(own?.output && textOf(own.output)).toBe('1\n');
    expect(sleeper.pids()).toEqual([]);
    expect(foreign).toMatchObject({ status: 'failed', error: { code: 'SANDBOX_REQUIRED' } });
  });

  it('a worker refuses code of models of other tenants', async () => {
    worker = await startWorkerProcess(redis.url, { PATH: withoutBubblewrap });

    const [own, foreign] = await Promise.all([run('default', coder, 'go'), run('acme', coder, 'go')]);

    expect(own?.output && textOf(own.output)).toBe('1\n');
    expect(foreign).toMatchObject({ status: 'failed', error: { code: 'SANDBOX_REQUIRED' } });
  });

  it.each(['limits', 'none'])('a worker runs the programs of all tenants with MILLRACE_SANDBOX=%s', async (sandbox) => {
    worker = await startWorkerProcess(redis.url, { PATH: withoutBubblewrap, MILLRACE_SANDBOX: sandbox });

    const foreign = await run('acme', program, 'print(1)');

    await worker.says(new RegExp(`MILLRACE_SANDBOX=${sandbox}: programs of all tenants run `));
    expect(foreign?.output && textOf(foreign.output)).toBe('1\n');
  });

  it('the doctor reports what programs can reach', async () => {
    expect(await doctorFinding('sandbox', { PATH: withoutBubblewrap })).toMatchObject({
      level: 'weak',
      message: expect.stringMatching(/tenant default run with limits .* reach the worker's files, network and secrets/),
      cure: expect.stringContaining('bubblewrap'),
    });
  });
});

describe('on a machine with bubblewrap', () => {
  it('a worker runs the programs of all tenants confined, but starts no MCP servers for other tenants', async () => {
    worker = await startWorkerProcess(redis.url);

    const confined = await run(
      'acme',
      program,
      'import os\nprint(os.path.exists("/proc/1/environ"), os.listdir("/tmp"))',
    );
    const foreign = await run('acme', server, 'go');
    const own = await run('default', server, 'go');

    await worker.says(/run in bubblewrap, .*: without network/);
    expect(confined?.status).toBe('completed');
    expect(foreign).toMatchObject({ status: 'failed', error: { code: 'SANDBOX_REQUIRED' } });
    expect(own).toMatchObject({ status: 'failed', error: { code: 'MCP_UNREACHABLE' } });
  });

  it('executes nothing that a program has written outside of the sandbox', async () => {
    worker = await startWorkerProcess(redis.url, { OPENAI_API_KEY: 'canary-of-the-worker' });
    const script = [
      'import os',
      'open("python-x", "w").write("#!/bin/sh\\nenv; tr \'\\\\0\' \'\\\\n\' < /proc/$PPID/environ; ls / /host; echo executed\\n")',
      'os.chmod("python-x", 0o755)',
      'print("print(1)")',
    ].join('\n');

    const attempt = await run(
      'acme',
      `graph:
  id: escape
  start: [Writer]
  end: [Reader]
  nodes:
    - {id: Writer, type: python, config: {}}
    - {id: Reader, type: python, config: {interpreter: ./python-x, env: {A: b}}}
  edges: [{from: Writer, to: Reader}]
`,
      script,
    );

    const seen = attempt?.output && textOf(attempt.output);
    expect(seen).toMatch(/^A=b$/m);
    expect(seen).toContain('executed');
    expect(seen).not.toContain('canary-of-the-worker');
    expect(seen).not.toContain('REDIS_URL');
  });

  it('a worker of root says so at its start, and the doctor, too', async () => {
    worker = await startWorkerProcess(redis.url);

    const isRoot = process.getuid?.() === 0;
    if (isRoot) await worker.says(/Workers run as root here/);
    expect(await doctorFinding('user')).toEqual(isRoot ? expect.objectContaining({ level: 'weak' }) : undefined);
  });
});
