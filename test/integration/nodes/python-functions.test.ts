import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withoutBuiltIns } from '@millrace/catalog';
import { textMessage, textOf } from '@millrace/core';
import { openPythonFunctions } from '@millrace/worker';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { fakeHost } from '../../support/fakes/fake-host.ts';
import { temporaryWorkspace } from '../../support/fakes/temporary-workspace.ts';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';

const files: Readonly<Record<string, string>> = {
  'functions/edge/checks.py': `
import os, sys, time
def mentions_rain(text): print("looking"); return "rain" in text.lower()
def sees(text): return text in os.environ
def dies(text): os._exit(3)
def always_false(text): return True
def everywhere(text):
    # The pipe to the worker is the last one that was opened.
    for fd in range(63, 2, -1):
        try:
            os.write(fd, text.encode())
            while not text.endswith("\\n"): os.write(fd, text.encode())
            return True
        except OSError: pass
def one_line(text): print("x" * int(text)); return True
def _hidden(text): return True
from os.path import join
`,
  'functions/edge/broken.py': 'import nothing_of_that_name\n',
  'functions/edge_processor/rewrite.py': `
from functions.shared import shout
def loud(text, _context): return shout(text)
def drop_empty(text, _context): return None if not text.strip() else text
def label(text, _context): return {"content": _context["node_id"] + ": " + text, "metadata": {"labelled": True}}
def count(text, _context): return len(text)
def fill(text, _context): return "x" * int(text)
def save(text, context):
    (context["python_workspace_root"] / "saved.txt").write_text(text)
    return text
async def later(text, _context): return text + "!"
def fails(text, _context): raise ValueError("no good: " + text)
`,
  'functions/termination/ends.py': `
import time
def approved(delta): return any(item.get("name") == "approve" or "APPROVE" in item["text"] for item in delta["items"])
def counted(delta, state, args):
    count = (state or 0) + len(delta["items"])
    return {"stop": count >= args["limit"], "reason": f"{count} messages", "state": count}
async def later(delta, args): return args.get("stop", False)
def truthy(delta): return 1
def nothing(delta): pass
def throws(delta): raise ValueError("not today")
def sleeps(delta): time.sleep(60)
`,
  'functions/shared.py': 'def shout(text): return text.upper()\n',
  'functions/function_calling/science/physics.py': `
from enum import Enum
from typing import Annotated, Any, Dict, List, Literal, Optional
class Unit(Enum):
    METRE = "m"
    FOOT = "ft"
class Meta:
    def __init__(self, description): self.description = description; self.enum = None
def measure(name: str, times: int = 1, unit: Unit = Unit.METRE, how: Literal["fast", "well"] = "fast",
            tags: Optional[List[str]] = None, note: Annotated[float, Meta("in percent")] = 0.5, extra: Dict[str, Any] = {},
            _context: Any = None, *args, **kwargs):
    """Measures a thing.
    With care.

    Not told."""
    return {"name": name, "times": times, "tags": tags, "node": _context["node_id"]}
def boom(reason): raise RuntimeError(reason)
def nothing() -> None: return None
boom.effect = "once"
`,
};

const root = directoryBeforeAll();
const printed: string[] = [];
const functions = openBeforeAll(async () => {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  vi.stubEnv('MILLRACE_TEST_HIDDEN', 'x');
  vi.stubEnv('MILLRACE_TEST_SHOWN', 'x');
  return openPythonFunctions({
    directory: join(root, 'functions'),
    variables: ['MILLRACE_TEST_SHOWN', 'MILLRACE_TEST_UNSET'],
    report: (line) => printed.push(line),
  });
});
afterAll(() => void vi.unstubAllEnvs());

async function holds(name: string, text: string): Promise<unknown> {
  return functions.extensions.conditions?.get(name)?.(text);
}

async function processed(name: string, text: string, host = fakeHost()): Promise<unknown> {
  const { workspace, directory, remove } = await temporaryWorkspace();
  try {
    return await functions.extensions.processors?.get(name)?.(text, textMessage('user', text, 'A'), {
      ...host,
      workspace: { ...workspace, directory },
    });
  } finally {
    await remove();
  }
}

const toolNamed = (name: string) => functions.extensions.tools?.find((tool) => tool.name === name);

describe('functions in Python', () => {
  it('are the public ones of the files; unloadable files are reported', () => {
    expect([...(functions.extensions.conditions?.keys() ?? [])].sort()).toEqual([
      'always_false',
      'dies',
      'everywhere',
      'mentions_rain',
      'one_line',
      'sees',
    ]);
    expect(printed).toContainEqual(
      expect.stringMatching(/broken\.py cannot be loaded: ModuleNotFoundError: .*nothing_of_that_name/),
    );
  });

  it('say what effect their calls have', () => {
    expect(['boom', 'nothing'].map((name) => toolNamed(name)?.effect)).toEqual(['once', undefined]);
  });

  it('decide about edges, and may print anything', async () => {
    expect(await holds('mentions_rain', 'Rain again')).toBe(true);
    expect(await holds('mentions_rain', 'sun')).toBe(false);
    expect(printed).toContain('looking');
  });

  it('see only the named variables of the worker', async () => {
    expect(await holds('sees', 'PATH')).toBe(true);
    expect(await holds('sees', 'MILLRACE_TEST_SHOWN')).toBe(true);
    expect(await holds('sees', 'MILLRACE_TEST_HIDDEN')).toBe(false);
  });

  it.each<[string, string, unknown]>([
    ['loud', 'x', 'X'],
    ['drop_empty', ' ', null],
    ['label', 'x', { content: 'N: x', metadata: { labelled: true } }],
    ['count', 'abc', '3'],
    ['later', 'x', 'x!'],
    ['save', 'grüße', 'grüße'],
  ])('rewrite messages: %s', async (name, text, expected) => {
    expect(await processed(name, text)).toEqual(expected);
  });

  it('throw what Python throws', async () => {
    await expect(processed('fails', 'x')).rejects.toThrow('no good: x');
  });

  it('get a new process after theirs has died', async () => {
    await expect(holds('dies', 'x')).rejects.toMatchObject({ code: 'FUNCTION_PROCESS_ENDED' });
    expect(await holds('mentions_rain', 'rain')).toBe(true);
  });

  it('do not replace built-in functions', () => {
    const { conditions } = withoutBuiltIns(functions.extensions);

    expect(conditions?.has('always_false')).toBe(false);
    expect(conditions?.has('mentions_rain')).toBe(true);
  });

  it('report a missing folder', async () => {
    await expect(openPythonFunctions({ directory: join(root, 'no'), report: () => {} })).rejects.toThrow(
      'There is no folder',
    );
  });
});

describe('functions in Python that models call', () => {
  it('are described by their hints and their docstring', () => {
    expect(toolNamed('measure')).toMatchObject({
      module: 'science/physics',
      description: 'Measures a thing. With care.',
      parameters: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          times: { type: 'integer', default: 1 },
          unit: { type: 'string', enum: ['m', 'ft'], default: 'm' },
          how: { type: 'string', enum: ['fast', 'well'], default: 'fast' },
          tags: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }], default: null },
          note: { type: 'number', description: 'in percent', default: 0.5 },
          extra: { type: 'object', default: {} },
        },
      },
    });
  });

  const agent = (tools: string, calls: string) => `version: 0.4.0
graph:
  id: science
  start: [Scientist]
  nodes:
    - id: Scientist
      type: agent
      config:
        provider: scripted
        name: m
        params:
          rules:
            - when: {call: 1}
              reply: {tool_calls: ${calls}}
          default: "{last}"
        tooling:
          - type: function
            config: {tools: [{name: "${tools}"}]}
    - id: Loud
      type: passthrough
      config: {}
  edges:
    - from: Scientist
      to: Loud
      condition: mentions_rain
      processor: {type: function, config: {name: loud}}
`;

  it('work in whole runs, together with functions of edges', async () => {
    const stage = await openStage({ where: { local: true }, extensions: functions.extensions });
    try {
      const calls = '[{name: measure, arguments: {name: rain, times: 2}}]';
      const workflow = workflowIn(agent('science/physics:All', calls), stage.vocabulary);

      const { description } = await stage.run(workflow, 'go');

      expect(description.output && textOf(description.output)).toContain('"NAME": "RAIN"');
      expect(description.output && textOf(description.output)).toContain('"NODE": "SCIENTIST"');
    } finally {
      await stage.close();
    }
  });
});

describe('functions in Python that stop runs', () => {
  const chain = (config: string) => `graph:
  id: chain
  termination: { type: function, config: ${config} }
  nodes:
    - { id: A, type: literal, config: { content: one } }
    - { id: B, type: literal, config: { content: APPROVE } }
    - { id: C, type: literal, config: { content: three } }
  edges: [{ from: A, to: B }, { from: B, to: C }]
`;

  const stage = openBeforeAll(() => openStage({ where: { local: true }, extensions: functions.extensions }));
  const run = async (config: string) => {
    const { description } = await stage.run(chain(config), 'go');
    const { status, stop, error, outputs } = description;
    return { status, reason: stop?.text ?? error?.code, spoke: Object.keys(outputs).length };
  };

  it.each([
    ['approved', '{ name: approved }', { status: 'terminated', reason: 'function: approved', spoke: 2 }],
    [
      'counted, with a state and arguments',
      '{ name: counted, args: { limit: 3 } }',
      { status: 'terminated', reason: '3 messages', spoke: 2 },
    ],
    ['later, a coroutine', '{ name: later }', { status: 'completed', reason: undefined, spoke: 3 }],
    ['truthy', '{ name: truthy, include_task: false }', { status: 'failed', reason: 'TERM_FUNCTION_RETURN', spoke: 1 }],
    [
      'nothing',
      '{ name: nothing, include_task: false }',
      { status: 'failed', reason: 'TERM_FUNCTION_RETURN', spoke: 1 },
    ],
    ['throws', '{ name: throws, include_task: false }', { status: 'failed', reason: 'TERM_FUNCTION_FAILED', spoke: 1 }],
    [
      'sleeps longer than it may',
      '{ name: sleeps, include_task: false, timeout_ms: 100, on_error: stop }',
      { status: 'terminated', reason: expect.stringContaining('took longer than 100 ms'), spoke: 1 },
    ],
  ])('stop a run: %s', async (_name, config, expected) => {
    expect(await run(config)).toEqual(expected);
  });
});
