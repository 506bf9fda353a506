import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '@millrace/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { openStage } from '../../support/runs/stage.ts';

const directory = directoryBeforeAll();
const stage = openBeforeAll(() =>
  openStage({
    where: { local: true },
    workspaces: directory,
    secret: (name) => ({ TOKEN: 'open', SPLIT: 'x\0--bind\0/\0/host\0--share-net' })[name],
  }),
);

const oneNode = (config: string) => `version: 0.4.0
graph:
  id: python
  start: [my node]
  nodes:
    - id: my node
      type: python_runner
      config: ${config}
  edges: []
`;

async function run(script: string, config = '{}') {
  const { description } = await stage.run(oneNode(config), script);
  return {
    description,
    output: description.output === undefined ? undefined : textOf(description.output),
    metadata: description.output?.metadata,
  };
}

const variables = 'import os\nprint(*sorted(name for name in os.environ if name not in ("PWD", "LC_CTYPE", "TMPDIR")))';

describe('python nodes', () => {
  it('run the program in a workspace of the run', async () => {
    const { description, output, metadata } = await run('import os\nprint(os.getcwd(), os.listdir("."), "grüße")');

    const workspace = join(directory, description.run, 'code_workspace');
    expect(output).toBe(`${workspace} ['my_node.py'] grüße\n`);
    expect(metadata).toEqual({ workspace, script_path: join(workspace, 'my_node.py') });
  });

  it('pass the program few variables, and none of the worker', async () => {
    vi.stubEnv('MILLRACE_TEST_SECRET', 'x');
    onTestFinished(() => void vi.unstubAllEnvs());

    const { output } = await run(variables);

    expect(output).toBe('HOME LANG MAC_CODE_SCRIPT MAC_CODE_WORKSPACE MAC_NODE_ID PATH\n');
  });

  it('pass it the variables of the node, with named secrets of the worker', async () => {
    const script =
      'import os, sys\nprint(os.environ["A"], os.environ["KEY"], os.environ["MAC_NODE_ID"], sys.flags.optimize)';

    const { output } = await run(script, '{env: {A: 1, KEY: "k-${TOKEN}"}, args: [-O]}');

    expect(output).toBe('1 k-open my node 1\n');
  });

  it('fail when the value of a secret cannot be that of a variable, or an argument is too long for the system', async () => {
    const split = await run('print(1)', '{env: {A: "${SPLIT}"}}');
    const long = await run('print(1)', `{args: [-c, "${'x'.repeat(200_000)}"]}`);

    expect(split.description.error?.code).toBe('PROGRAM_ARGUMENT_INVALID');
    expect(long.description.error?.code).toBe('PROGRAM_ARGUMENT_INVALID');
  });

  it('report errors', async () => {
    const { output, description } = await run('print("out")\nraise SystemExit("no")');

    expect(output).toBe('==CODE EXECUTION FAILED==\nScript execution failed\nexit_code=1\nstderr:\nno\n');
    expect(description.status).toBe('completed');
  });

  it('end a program that takes too long', async () => {
    const { output } = await run('import time\nprint("so far", flush=True)\ntime.sleep(60)', '{timeout_seconds: 2}');

    // On a busy machine, the interpreter may need that time to start.
    expect(output).toMatch(/^==CODE EXECUTION FAILED==\nScript did not finish within 2s\nstderr:\n(so far\n)?$/);
  });

  it('truncate an output that is too long', async () => {
    const { output } = await run('print("x" * 2_000_000)');

    expect(output?.endsWith('xx\n[cut: the first 1048576 of 2000001 bytes]\n')).toBe(true);
  });

  it('keep a program from taking all memory', async () => {
    const { output } = await run('x = bytearray(6 * 1024 ** 3)');

    expect(output).toContain('MemoryError');
  });

  it('report a missing interpreter, and fail on one that cannot be run', async () => {
    const missing = await run('print(1)', '{interpreter: /no/such/python}');
    const unusable = await run('print(1)', '{interpreter: /tmp}');

    expect(missing.output).toBe('==CODE EXECUTION FAILED==\nInterpreter /no/such/python not found');
    expect(unusable.description.error?.code).toBe('INTERPRETER_UNUSABLE');
  });

  it('never write a script through a link that an earlier program left', async () => {
    const target = join(directory, 'target');
    const text = `version: 0.4.0
graph:
  id: links
  start: [A]
  nodes:
    - {id: A, type: python, config: {}}
    - {id: L, type: literal, config: {content: print(2)}}
    - {id: B, type: python, config: {}}
  edges: [{from: A, to: L}, {from: L, to: B}]
`;
    const script = `import os\nopen("kept", "w").write("1")\nos.symlink("${target}", "B.py")`;

    const { description } = await stage.run(text, script);

    expect(description.output?.content).toBe('2\n');
    await expect(readFile(target)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('may be executed by a virtual environment that an earlier one has made', async () => {
    const text = `version: 0.4.0
graph:
  id: environment
  start: [A]
  nodes:
    - {id: A, type: python, config: {}}
    - {id: B, type: python, config: {interpreter: .venv/bin/python}}
  edges: [{from: A, to: B}]
`;
    const script = 'import venv\nvenv.create(".venv", symlinks=True)\nprint("import json, sys; print(sys.prefix)")';

    const { description } = await stage.run(text, script);

    expect(description.output?.content).toBe(`${join(directory, description.run, 'code_workspace', '.venv')}\n`);
  });

  it('give each unit of a map a script of its own, and each call of a subgraph a workspace', async () => {
    const text = `version: 0.4.0
graph:
  id: units
  start: [List]
  end: [All]
  nodes:
    - {id: List, type: literal, config: {content: '["print(1)", "print(2)", "print(3)"]'}}
    - {id: P, type: python, config: {}}
    - id: Sub
      type: subgraph
      config:
        type: config
        config:
          id: inner
          start: [Q]
          nodes: [{id: Q, type: python, config: {}}]
          edges: []
    - {id: All, type: passthrough, config: {only_last_message: false}}
  edges:
    - {from: List, to: P, dynamic: {type: map, config: {split_type: json_array}}}
    - {from: List, to: Sub, dynamic: {type: map, config: {split_type: json_array}}}
    - {from: P, to: All}
    - {from: Sub, to: All}
`;
    const { description, executions } = await stage.run(text, 'go');

    expect((await executions('All')).flat().map(textOf)).toEqual(['1\n', '2\n', '3\n', '1\n', '2\n', '3\n']);
    const artifacts = await stage.runtime.runs.artifacts(description.run);
    expect(artifacts.map(({ workspace, path }) => `${workspace === 's0' ? 'root' : 'call'}/${path}`)).toEqual([
      'root/P.py',
      'root/P_run-2.py',
      'root/P_run-3.py',
      'call/Q.py',
      'call/Q.py',
      'call/Q.py',
    ]);
  });
});
