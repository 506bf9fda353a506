import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProgram, parseConfig } from 'millrace';
import { beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { serveApi } from '../../support/http/api.ts';
import { listen } from '../../support/http/listen.ts';
import { command } from '../../support/processes/command.ts';
import { millrace } from '../../support/processes/millrace.ts';
import { nodeOnTerminal } from '../../support/processes/pseudo-terminal.ts';
import { silentTerminal } from '../../support/processes/silent-terminal.ts';

/** Sets the title of the window, rings, clears the screen (by one and by two bytes), writes backwards, and rubs out. */
const hostile = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\u2066\u007f\u0008\rEND';
/** The same as a YAML text: a file with the characters themselves is refused. */
const written = JSON.stringify(hostile).replaceAll(
  /[\u007f-\u009f\u202e\u2066]/g,
  (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
);
const quoted = written.slice(1, -1);
/** Writes backwards: what is left to names, in which workflows may not have control characters. */
const quotedName = '\\u202e\\u2066END';

const asking = `graph:
  id: "g${quotedName}"
  description: "d${quoted}"
  initial_instruction: "i${quoted}"
  nodes:
    - { id: "say${quotedName}", type: literal, config: { content: "o${quoted}" } }
    - { id: "ask${quotedName}", type: human, config: { description: "q${quoted}" } }
  edges: [{ from: "say${quotedName}", to: "ask${quotedName}" }]
`;
const program = `name = 'f${quoted}'\nopen(name, 'w').write('c${quoted}')\nprint('o${quoted}')`;
const writing = `graph:
  id: writing
  nodes:
    - { id: say, type: literal, config: { content: ${JSON.stringify(program)} } }
    - { id: "run${quotedName}", type: python, config: {} }
  edges: [{ from: say, to: "run${quotedName}" }]
`;
const failing = `graph:
  id: failing
  nodes:
    - id: "fail${quotedName}"
      type: template
      config: { fail: { code: "C${quotedName}", message: "m${quoted}" } }
`;
const faulty = `graph:
  id: faulty
  nodes: [{ id: "A${quoted}", type: "t${quoted}", config: {} }]
  "k${quoted}": 1
`;

const driver = fileURLToPath(new URL('../../support/processes/commands-on-terminal.mjs', import.meta.url));
const main = fileURLToPath(new URL('../../../packages/cli/bin/millrace.js', import.meta.url));

const api = openBeforeAll(serveApi);
const cwd = directoryBeforeAll();
let env: Record<string, string> = {};
const runs = { asking: '', writing: '', failing: '' };

async function started(yaml: string, until: (status: unknown) => boolean): Promise<string> {
  const response = await fetch(`${api.orchestrator.url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ workflow: { yaml }, input: hostile, tags: ['t'] }),
  });
  const { runId } = (await response.json()) as { runId: string }; // what starting a run answers
  for (;;) {
    const reply = await fetch(`${api.orchestrator.url}/v1/runs/${runId}?wait=5s`);
    const { status } = (await reply.json()) as { status: string }; // a run
    if (until(status)) return runId;
  }
}

beforeAll(async () => {
  for (const [name, yaml] of Object.entries({ asking, writing, failing, faulty }))
    writeFileSync(join(cwd, `${name}.yaml`), yaml);
  env = { ...api.redis.env, MILLRACE_DIR: join(cwd, 'dir') };
  const ended = (status: unknown) => status !== 'running';
  runs.asking = await started(asking, ended);
  runs.writing = await started(writing, ended);
  runs.failing = await started(failing, ended);
  await command(['workflows', 'push', join(cwd, 'asking.yaml'), '--name', 'asking', '--note', hostile], env);
  await command(
    [
      'schedule',
      'create',
      'nightly',
      'asking',
      '--cron',
      '0 0 1 1 *',
      '--description',
      `s${hostile}`,
      '--input',
      hostile,
    ],
    env,
  );
  writeFileSync(
    join(cwd, 'rows.json'),
    JSON.stringify([
      { id: 'one', input: hostile },
      { input: hostile, vars: 'x' },
    ]),
  );
  await command(['batch', 'start', 'asking', join(cwd, 'rows.json'), '--id', 'rows'], env);
  await api.keys.create({ tenant: 'default', scopes: ['read'], name: `k${hostile}` });
});

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: these are the characters that are looked for
/** Sequences of our own colours and prompts: SGR, moves of the cursor by lines and columns, erasing, hiding the cursor. */
const ours = /\u001b\[(?:\d+(?:;\d+)*)?[mABCDGJK]|\u001b\[\?25[lh]/g;
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: until here

/** Returns the output without our own sequences. A terminal ends lines by \r\n. */
const foreign = (shown: string): string => shown.replaceAll('\r\n', '\n').replaceAll(ours, '');

/** The part of the output where something could steer the terminal; undefined when nothing could. */
function steeringIn(shown: string): string | undefined {
  const rest = foreign(shown);
  const found = steering.exec(rest);
  return found === null ? undefined : JSON.stringify(rest.slice(Math.max(0, found.index - 200), found.index + 80));
}

async function shownBy(lines: readonly (readonly string[])[], surroundings: Record<string, string>): Promise<string> {
  const file = join(cwd, 'lines.json');
  writeFileSync(file, JSON.stringify(lines));
  const { code, shown } = await nodeOnTerminal([driver, file], { cwd, env: { ...env, ...surroundings } });
  // A command that asks would have waited for an answer until the end of the time, and the others would not have been called.
  expect({ code, last: shown.slice(code === 0 ? shown.length : -500) }).toEqual({ code: 0, last: '' });
  return shown;
}

type Command = ReturnType<typeof createProgram>;

/** All commands by their words, such as `batch start`. */
function commandsOf(
  command: Command,
  words: readonly string[] = [],
): readonly { words: readonly string[]; command: Command }[] {
  if (command.commands.length === 0) return [{ words, command }];
  return command.commands.flatMap((one) => commandsOf(one, [...words, one.name()]));
}

async function allCommands() {
  return commandsOf(createProgram({ terminal: silentTerminal, config: async () => parseConfig({}), exit: 0 }, []));
}

describe('control characters on a terminal', () => {
  it('are escaped in everything that commands show of runs, keys, files, tables and workflows', async () => {
    const shown = await shownBy(
      [
        ['runs'],
        ['runs', '--json'],
        ['watch', runs.writing],
        ['watch', runs.failing],
        ['watch', runs.failing, '--json'],
        ['journal', runs.writing],
        ['journal', runs.writing, '--json'],
        ['artifacts', runs.writing],
        ['artifacts', runs.writing, '--json'],
        ['artifacts', runs.writing, '--get', `f${hostile}`],
        ['artifacts', runs.writing, '--to', join(cwd, 'files')],
        ['keys', 'list'],
        ['keys', 'list', '--json'],
        ['workflows', 'list'],
        ['workflows', 'versions', 'asking'],
        ['workflows', 'get', 'asking'],
        ['schedule', 'list'],
        ['schedule', 'get', 'nightly', '--json'],
        ['batch', 'list'],
        ['batch', 'rows', 'rows'],
        ['batch', 'rows', 'rows', '--json'],
        ['check', 'faulty.yaml', 'asking.yaml'],
        ['check', 'faulty.yaml', '--json'],
        ['run', 'failing.yaml', '--local', '--input', hostile],
        ['run', 'writing.yaml', '--local', '--input', hostile],
        ['run', 'faulty.yaml', '--local', '--input', hostile],
        ['run', 'asking.yaml', '--detach', '--input', hostile],
        ['audit', runs.asking],
        ['answer', runs.asking, hostile],
      ],
      {},
    );

    expect(steeringIn(shown)).toBeUndefined();
    // Everything was really shown.
    for (const sign of ['k', 'f', 'o', 'm', 'c'])
      expect(shown).toContain(
        `${sign}\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u202e\\u2066\\u007f\\u0008\\u000dEND`,
      );
    for (const sign of ['g', 'say', 'run', 'fail', 'C']) expect(shown).toContain(`${sign}\\u202e\\u2066END`);
  });

  it('are escaped in every message about a hostile argument', async () => {
    const lines = (await allCommands()).map(({ words, command }) => [
      ...words,
      ...command.registeredArguments.map(() => hostile),
      `--${hostile}`,
    ]);
    const plain = (await allCommands())
      // These continue until they are stopped.
      .filter(({ words }) => !['serve', 'up', 'worker', 'mcp', 'demo', 'dev'].includes(words.join(' ')))
      .map(({ words, command }) => [
        ...words,
        ...command.registeredArguments.map(() => hostile),
        ...(words[0] === 'init' ? ['--template', hostile] : []),
      ]);

    expect(plain.length).toBeGreaterThan(40);
    expect(steeringIn(await shownBy([...lines, ...plain], {}))).toBeUndefined();
  });

  it('are escaped in responses of a server behind MILLRACE_URL', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(409, { 'content-type': 'application/problem+json' });
      const problem = {
        type: 'about:blank',
        title: hostile,
        status: 409,
        detail: `p${hostile}`,
        code: `C${hostile}`,
        instance: hostile,
      };
      response.end(JSON.stringify({ ...problem, errors: [{ pointer: hostile, detail: hostile, code: hostile }] }));
    });
    const port = await listen(server);
    const lines = (await allCommands())
      .filter(({ words }) => !['mcp', 'demo', 'dev'].includes(words.join(' ')))
      .map(({ words, command }) => [
        ...words,
        ...command.registeredArguments.map(() => 'asking.yaml'),
        ...(words[0] === 'run' ? ['--input', 'x'] : []),
        ...(words[0] === 'init' ? ['--template', 'approval'] : []),
      ]);
    const shown = await shownBy(lines, { MILLRACE_URL: `http://127.0.0.1:${port}` });
    server.close();

    expect(steeringIn(shown)).toBeUndefined();
    expect(shown).toContain('p\\u001b]0;owned');
  });

  it('are escaped in questions, and in all that a node reads or remembers', async () => {
    const { code, shown } = await nodeOnTerminal([main, 'run', 'asking.yaml', '--local', '--input', hostile], {
      cwd,
      env: { MILLRACE_DIR: join(cwd, 'dir') },
      // The sign of a question that is open.
      typed: [['◆', 'Red.\r']],
    });

    expect(steeringIn(shown)).toBeUndefined();
    expect({ code, answered: shown.includes('Red.') }).toEqual({ code: 0, answered: true });
  });
});

describe('control characters in a pipe', () => {
  it('are kept in requested content, and escaped in everything else', async () => {
    const piped = (...line: readonly string[]) => millrace(line, { cwd, env });
    const [content, output, listed, json] = await Promise.all([
      piped('artifacts', runs.writing, '--get', `f${hostile}`),
      piped('watch', runs.writing),
      piped('keys', 'list'),
      piped('keys', 'list', '--json'),
    ]);

    expect(content.stdout).toBe(`c${hostile}`);
    expect(output.stdout).toContain(`o${hostile}`);
    expect(steeringIn(output.stderr)).toBeUndefined();
    expect(steeringIn(listed.stdout)).toBeUndefined();
    expect(steeringIn(json.stdout)).toBeUndefined();
    expect(JSON.parse(json.stdout)).toContainEqual(expect.objectContaining({ name: `k${hostile}` }));
  });
});
