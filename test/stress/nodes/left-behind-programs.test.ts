import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { textOf } from '@millrace/core';
import type { SandboxLevel } from '@millrace/worker';
import { mcpServers, openPythonFunctions } from '@millrace/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import type { Sleeper } from '../../support/processes/processes.ts';
import { newSleeper } from '../../support/processes/processes.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';

/** Ways in which a program starts another one that stays behind in a session of its own, holding its output. */
const ways: readonly (readonly [string, (seconds: string) => string])[] = [
  ['setsid', (seconds) => `import subprocess\nsubprocess.Popen(["sleep", "${seconds}"], start_new_session=True)`],
  ['nohup in a shell', (seconds) => `import os\nos.system("nohup setsid sleep ${seconds} &")`],
  [
    'a double fork',
    (seconds) => `import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execlp("sleep", "sleep", "${seconds}")
    os._exit(0)
os.wait()`,
  ],
];
const setsid = ways[0]?.[1] ?? String;

const workflow = (seconds: number) => `graph:
  id: left-behind
  start: [Program]
  nodes: [{id: Program, type: python, config: {timeout_seconds: ${seconds}}}]
  edges: []
`;

const begun = (sleeper: Sleeper) => expect.poll(sleeper.pids).toHaveLength(1);
const gone = (sleeper: Sleeper) => expect.poll(sleeper.pids).toEqual([]);

describe.each<SandboxLevel>(['bubblewrap', 'limits', 'none'])('with the sandbox %s, a program', (sandbox) => {
  const stage = openBeforeAll(() => openStage({ where: { local: true }, sandbox }));

  const run = async (script: string, seconds = 20) => {
    const { description } = await stage.run(workflow(seconds), script);
    return description.output === undefined ? '' : textOf(description.output);
  };

  it.each(ways)('is not delayed by a session started by %s, which ends with it', async (_way, script) => {
    const sleeper = newSleeper();

    const output = await run(`${script(sleeper.seconds)}\nprint("done")`);

    expect(output).toBe('done\n');
    await gone(sleeper);
  });

  it('ends with all of its sessions at its timeout', async () => {
    const sleeper = newSleeper();

    const output = await run(`${setsid(sleeper.seconds)}\nimport time\ntime.sleep(60)`, 2);

    expect(output).toContain('did not finish within 2s');
    expect(sleeper.pids()).toEqual([]);
  });

  it('ends with all of its sessions when its run is cancelled', async () => {
    const sleeper = newSleeper();
    const { runs } = stage.runtime;
    const script = `${setsid(sleeper.seconds)}\nimport time\ntime.sleep(60)`;
    const id = await runs.start({ workflow: workflowIn(workflow(50), stage.vocabulary), input: script });
    await begun(sleeper);

    await runs.cancel(id, 'enough seen');

    await gone(sleeper);
  });

  it('has its output read to the end, however much it wrote last', async () => {
    const output = await run('import os\nos.write(1, b"x" * 60_000)\nos._exit(0)');

    expect(output).toBe('x'.repeat(60_000));
  });
});

describe('a function in Python', () => {
  const root = directoryBeforeAll();
  beforeAll(async () => {
    await mkdir(join(root, 'edge'));
    const script = `
import subprocess, time
def leaves(seconds): subprocess.Popen(["sleep", seconds], start_new_session=True); return True
def hangs(seconds): leaves(seconds); time.sleep(60)
`;
    await writeFile(join(root, 'edge', 'starts.py'), script);
  });

  const open = () => openPythonFunctions({ directory: root, timeoutSeconds: 1, report: () => undefined });

  it('leaves no process behind when it is closed', async () => {
    const sleeper = newSleeper();
    const { extensions, close } = await open();
    await extensions.conditions?.get('leaves')?.(sleeper.seconds);
    await begun(sleeper);

    await close();

    expect(sleeper.pids()).toEqual([]);
  });

  it('leaves no process behind at its timeout', async () => {
    const sleeper = newSleeper();
    const { extensions, close } = await open();

    await expect(extensions.conditions?.get('hangs')?.(sleeper.seconds)).rejects.toMatchObject({
      code: 'FUNCTION_TIMEOUT',
    });

    await gone(sleeper);
    await close();
  });
});

describe('an MCP server that was started as a command', () => {
  const program = fileURLToPath(new URL('../../support/fakes/mcp-server.mjs', import.meta.url));
  const { signal } = new AbortController();
  const server = (script: string, startupTimeoutSeconds: number) => ({
    type: 'local' as const,
    command: 'sh',
    args: ['-c', script, process.execPath, program],
    env: {},
    inheritEnv: true,
    startupTimeoutSeconds,
  });
  const open = (script: string, startupTimeoutSeconds = 60) => {
    const servers = mcpServers({ secret: () => undefined, workspaces: '/workspaces' }, { node: 'A', fetch, signal });
    return { servers, connection: servers.connect(server(script, startupTimeoutSeconds)) };
  };

  it('leaves no process behind, and does not delay the end of its activation', async () => {
    const sleeper = newSleeper();
    const { servers, connection } = open(`setsid sleep ${sleeper.seconds} & exec "$0" "$1"`);
    await connection.tools();
    await begun(sleeper);

    const before = performance.now();
    await servers.close();

    expect(sleeper.pids()).toEqual([]);
    // Two seconds are the time that the client gives a server whose output stays open.
    expect(performance.now() - before).toBeLessThan(1_900);
  });

  it('leaves no process behind when it never becomes reachable', async () => {
    const sleeper = newSleeper();
    const { servers, connection } = open(`setsid sleep ${sleeper.seconds} & exit 1`, 1);

    await expect(connection.tools()).rejects.toMatchObject({ code: 'MCP_UNREACHABLE' });
    await servers.close();

    await gone(sleeper);
  });
});
