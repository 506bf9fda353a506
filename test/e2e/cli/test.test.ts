import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { localArchive, readArchivedWorkflow } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import { directoryBeforeEach } from '../../support/fixtures.ts';
import { command } from '../../support/processes/command.ts';

const directory = directoryBeforeEach();

const end = '{ id: Z, type: passthrough, config: {} }';
const agent = (more = '') =>
  `{ id: A, type: agent, config: { provider: openai, name: gpt-6-sol, role: You greet., ${more} } }`;
const flow = (nodes: string, edges: string) =>
  `graph: { id: flow, start: [A], end: [Z], nodes: [${nodes}], edges: [${edges}] }\n`;
const greeting = flow(`${agent()}, ${end}`, '{ from: A, to: Z }');
const script = 'script: { rules: [{ reply: Hello. }] }';

/** Writes a workflow and its tests, and runs them. */
async function test(workflow: string, tests: string, args: readonly string[] = [], env = {}) {
  writeFileSync(join(String(directory), 'flow.yaml'), workflow);
  writeFileSync(join(String(directory), 'flow.test.yaml'), tests);
  const { code, stdout, stderr } = await command(['test', String(directory), ...args], env);
  return { code, stdout: stdout.replaceAll(`${directory}/`, ''), stderr: stderr.replaceAll(`${directory}/`, '') };
}

describe('millrace test', () => {
  it('passes a run that is as expected, and says how many did', async () => {
    const { code, stdout, stderr } = await test(
      greeting,
      `tests: [{ name: greets, ${script}, expect: { output: Hello., nodes: { A: 1 }, usage: { calls: 1 }, time: { at_least: 1s } } }]`,
    );

    expect({ code, stderr }).toEqual({ code: 0, stderr: '1 passed, 0 failed\n' });
    expect(stdout).toMatch(/^✓ greets {2}\(\d+ ms\)\n$/);
  });

  it('shows the place of each expectation that is not met, what was expected, and what was found', async () => {
    const { code, stdout, stderr } = await test(
      greeting,
      `tests:
  - name: greets
    ${script}
    expect:
      output: { contains: [Hello, Sundays] }
      nodes: { A: '>=2' }
      time: { at_most: 1ms }
`,
    );

    expect({ code, stderr }).toEqual({ code: 1, stderr: '0 passed, 1 failed\n' });
    expect(stdout).toContain(
      `flow.test.yaml:2\n    flow.test.yaml:5:35 expect.output.contains[1]
      expected  a text that contains "Sundays"
      found     "Hello."
    flow.test.yaml:6:19 expect.nodes.A  (a1)
      expected  >=2 runs
      found     1 run
    flow.test.yaml:7:24 expect.time.at_most
      expected  at most 1ms
      found     1s\n`,
    );
  });

  it.each([
    [
      'an unknown field',
      'tests: [{ name: a, expekt: {} }]',
      '1:20 tests[0].expekt "expekt" is not known here [E_KEY_UNKNOWN]',
    ],
    ['a wrong workflow', 'workflow: other.yaml\ntests: [{ name: a }]', 'other.yaml:1:8 graph.nodes'],
    ['no tests', 'tests: []', '1:8 tests It must be at least 1 entries'],
  ])('exits with 2 and the place for %s', async (_what, tests, place) => {
    writeFileSync(join(String(directory), 'other.yaml'), 'graph: {}\n');
    const { code, stderr } = await test(greeting, tests);

    expect(code).toBe(2);
    expect(stderr).toContain(place);
  });

  it('exits with 2 where there is no test', async () => {
    expect(await command(['test', String(directory)], {})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no *.test.yaml file'),
    });
    const { code, stderr } = await test(greeting, `tests: [{ name: greets, ${script} }]`, ['-t', 'says']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'No test has a name that matches says.\n' });
  });

  it('names the request of a model that no rule answers', async () => {
    const { code, stdout } = await test(
      greeting,
      'tests: [{ name: greets, input: Ada, script: { rules: [{ when: { last_contains: Bob }, reply: Hi. }] } }]',
    );

    expect(code).toBe(1);
    expect(stdout).toContain('an answer of the test [TEST_CALL_UNEXPECTED]');
    expect(stdout).toMatch(
      /The model "gpt-6-sol" was asked what no rule of the script answers:\n +system +You greet\.\n +user .*Ada/s,
    );
  });

  it('refuses tools that the test does not mock, and connections', async () => {
    const calls = (tool: string, args: string) =>
      `script: { rules: [{ when: { call: 1 }, reply: { tool_calls: [{ name: ${tool}, arguments: ${args} }] } }, { reply: '{last}' }] }`;
    const tooling = 'tooling: [{ type: function, config: { tools: [{ name: get_weather }, { name: wait }] } }]';
    const { stdout } = await test(
      flow(`${agent(tooling)}, ${end}`, '{ from: A, to: Z }'),
      `tests:
  - { name: unmocked, ${calls('get_weather', '{ city_num: 1 }')} }
  - { name: mocked, ${calls('get_weather', '{ city_num: 1 }')}, tools: { get_weather: [{ when: { city_num: 1 }, result: sunny }] }, expect: { output: sunny } }
  - { name: mocked otherwise, ${calls('get_weather', '{ city_num: 2 }')}, tools: { get_weather: [{ when: { city_num: 1 }, result: sunny }] } }
  - { name: real, ${calls('wait', '{ seconds: 7200 }')}, tools: { wait: real }, expect: { time: { at_least: 2h } } }
  - { name: failing, ${calls('get_weather', '{ city_num: 1 }')}, tools: { get_weather: [{ error: no data }] }, expect: { output: { contains: no data } } }
`,
      ['--reporter', 'json'],
    );

    const { tests } = JSON.parse(stdout);
    expect(tests.map(({ name, status }: { name: string; status: string }) => `${name}: ${status}`)).toEqual([
      'unmocked: failed',
      'mocked: passed',
      'mocked otherwise: failed',
      'real: passed',
      'failing: passed',
    ]);
    expect(tests[0].failures[0]).toMatchObject({
      path: 'tools',
      found: expect.stringContaining('the test says nothing of it'),
    });
  });

  it('refuses a connection to a host that it does not name', async () => {
    const tooling = 'tooling: [{ type: mcp_remote, config: { server: "http://tools.example.com/mcp" } }]';
    const { stdout } = await test(
      flow(`${agent(tooling)}, ${end}`, '{ from: A, to: Z }'),
      `tests: [{ name: a, ${script} }]`,
    );

    expect(stdout).toContain('A connection to tools.example.com was refused');
  });

  it('waits for nothing by the virtual clock, and by the real one for as long as it takes', async () => {
    const delay = (time: string) =>
      flow(`{ id: A, type: delay, config: { for: '${time}' } }, ${end}`, '{ from: A, to: Z }');
    const { stdout, code } = await test(
      delay('${FOR}').replace('graph', 'vars: { FOR: 30d }\ngraph'),
      `tests:
  - { name: virtual, expect: { time: { at_least: 30d, at_most: 31d } } }
  - { name: real, clock: real, vars: { FOR: 500ms }, expect: { time: { at_least: 500ms, at_most: 20s } } }
`,
      ['--reporter', 'json'],
    );

    const [virtual, real] = JSON.parse(stdout).tests;
    expect(code).toBe(0);
    expect(real.durationMs).toBeGreaterThanOrEqual(500);
    expect(virtual.status).toBe('passed');
  });

  it('sends signals, and waits for people and their time limits', async () => {
    const wait = flow(
      `{ id: A, type: wait_for, config: { event: paid, timeout: 3d, on_timeout: continue } }, { id: H, type: human, config: { description: Ship it? } }, ${end}`,
      '{ from: A, to: H }, { from: H, to: Z }',
    );
    const { code, stdout } = await test(
      wait,
      `defaults: { answers: { H: { text: yes I will, after: 2h, by: ann } } }
tests:
  - { name: paid, signals: [{ name: paid, data: { amount: 12 }, after: 2d }], expect: { questions: [{ node: H, prompt: { contains: Ship } }], time: { at_least: 50h, at_most: 51h } } }
  - { name: not paid, expect: { time: { at_least: 74h } } }
  - { name: unanswered, answers: [], expect: { status: waiting } }
  - { name: too many, answers: [a, b] }
  - { name: forgotten, answers: [] }
`,
      ['--reporter', 'json'],
    );

    const results = JSON.parse(stdout).tests.map(
      ({ name, status, failures }: { name: string; status: string; failures: { found: string }[] }) => [
        name,
        status,
        failures.map(({ found }) => found),
      ],
    );
    expect(code).toBe(1);
    expect(results).toEqual([
      ['paid', 'passed', []],
      ['not paid', 'passed', []],
      ['unanswered', 'passed', []],
      ['too many', 'failed', ['the answer "b" was not used']],
      ['forgotten', 'failed', [expect.stringContaining('"H" asks')]],
    ]);
  });

  it('skips with a reason, and runs `only` alone, except where CI is set', async () => {
    const tests = `tests: [{ name: a, ${script}, skip: later }, { name: b, ${script}, only: true }, { name: c, ${script} }]`;

    expect((await test(greeting, tests)).stderr).toBe('1 passed, 0 failed, 2 skipped\n');
    expect(await test(greeting, tests, [], { CI: 'true' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('`only` leaves out'),
    });
  });

  it('runs the tests that a name matches, and with --bail none after one has failed', async () => {
    const failing = `${script}, expect: { output: Bye }`;
    const tests = `tests: [{ name: a, ${script} }, { name: b, ${failing} }, { name: c, ${script} }]`;

    expect(await test(greeting, tests, ['--test-name', '^[ac]$'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('2 passed, 0 failed'),
    });
    const after = Array.from({ length: 200 }, (_, at) => `{ name: t${at}, ${script} }`);
    const bailed = await test(greeting, `tests: [{ name: b, ${failing} }, ${after}]`, ['--bail']);
    const [, passed, failed] = /(\d+) passed, (\d+) failed/.exec(bailed.stderr) ?? [];
    expect({ code: bailed.code, failed }).toEqual({ code: 1, failed: '1' });
    // Those that had begun beside it end.
    expect(Number(passed)).toBeLessThan(after.length);
  });

  it('reports as JUnit XML and as annotations, also into a file', async () => {
    const tests = `tests: [{ name: 'a < b', ${script}, expect: { output: Bye } }]`;
    const out = join(String(directory), 'report.xml');
    await test(greeting, tests, ['--reporter', 'junit', '--out', out]);
    const { stdout } = await test(greeting, tests, [], { GITHUB_ACTIONS: 'true' });

    expect(readFileSync(out, 'utf8')).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites tests="1" failures="1" errors="0" skipped="0" time="[\d.]+">\n {2}<testsuite name="[^"]*flow\.test\.yaml" [^>]+>\n {4}<testcase name="a &lt; b" [^>]+>\n {6}<failure message="expected &quot;Bye&quot;, found &quot;Hello\.&quot;">/,
    );
    expect(stdout).toMatch(
      /::error file=flow\.test\.yaml,line=1,col=\d+,title=a < b::expected "Bye"%0Afound "Hello\."/,
    );
  });

  it('updates exact values in place, and changes no other line', async () => {
    const tests = (text: string, runs: number, calls: number) => `# Tests of the greeting.
tests:
  - name: greets   # in one call
    ${script}
    expect:
      output: ${text}   # the whole text
      nodes: { A: ${runs}, Z: '>=1' }
      usage: { calls: ${calls} }
`;
    const { code, stdout, stderr } = await test(greeting, tests('Bye', 3, 2), ['--update']);

    expect(readFileSync(join(directory, 'flow.test.yaml'), 'utf8')).toBe(tests('Hello.', 1, 1));
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'flow.test.yaml: 3 values updated\n1 passed, 0 failed\n' });
    expect(stdout).toMatch(/^✓ greets/);
    expect(await test(greeting, tests('Bye', 3, 2), ['--update'], { CI: 'true' })).toMatchObject({ code: 2 });
  });

  it('runs the other tests after one that cannot be run, and exits with 2 if all are skipped', async () => {
    const tests = `tests: [{ name: a, ${script}, input: '@missing.txt' }, { name: b, ${script} }]`;
    const { code, stdout, stderr } = await test(greeting, tests);

    expect({ code, stderr }).toEqual({ code: 1, stderr: '1 passed, 1 failed\n' });
    expect(stdout).toContain('missing.txt');
    expect(await test(greeting, `tests: [{ name: a, ${script}, skip: later }]`)).toMatchObject({ code: 2 });
  });

  it('keeps the run of a test, which can be replayed', async () => {
    const keep = join(String(directory), 'kept');
    await test(greeting, `tests: [{ name: greets, ${script} }]`, ['--keep', keep]);
    const kept = await readArchivedWorkflow(localArchive(join(keep, readdirSync(keep).join())));

    expect(kept.definition?.yaml).toBe(greeting);
  });

  it('leaves files of tests to this command: check does not read them', async () => {
    mkdirSync(join(String(directory), 'sub'));
    writeFileSync(join(String(directory), 'sub/a.eval.yaml'), 'x: 1\n');
    await test(greeting, `tests: [{ name: greets, ${script} }]`);

    expect(await command(['check', String(directory)], {})).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('1 file, 0 errors'),
    });
  });
});
