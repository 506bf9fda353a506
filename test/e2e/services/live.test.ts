import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import type { LiveEvent } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { ask } from '../../support/http/http.ts';
import { startMillrace, startServer } from '../../support/processes/millrace.ts';
import { newInstallation } from '../../support/redis/installation.ts';

const main = fileURLToPath(new URL('../../../packages/cli/bin/millrace.js', import.meta.url));

/** The question delays the agents until the test listens. */
const poem = `
graph:
  id: poem
  nodes:
    - { id: Person, type: human, config: {} }
    - id: Poet
      type: agent
      config:
        provider: scripted
        name: m
        params: { default: { chunks: ["Rain ", "falls ", "on {last_user}."], delay_ms: 30 } }
  edges: [{ from: Person, to: Poet }]
`;

const cwd = directoryBeforeAll({
  'poem.yaml': poem,
  'answers.yaml': '- Paris\n',
});

/** All of a stream of server-sent events; resolves when the server has begun to answer. */
async function listen(url: string) {
  const response = await fetch(url, { headers: { accept: 'text/event-stream' } });
  return { frames: response.text().then((body) => body.split('\n\n')) };
}

const liveIn = (frames: readonly string[]): readonly LiveEvent[] =>
  frames.flatMap((frame) => (frame.startsWith('event: live\n') ? [JSON.parse(frame.slice(frame.indexOf('{')))] : []));

it('streams output of models as separate events, which do not change where a client resumes', async () => {
  const { env } = newInstallation();
  const up = await startServer(['up', '--port', '0'], { cwd, env });
  const { url } = up;
  const run = String((await ask(`${url}/v1/runs`, { workflow: { yaml: poem }, input: 'go' })).body['runId']);
  await ask(`${url}/v1/runs/${run}?wait=30s`);
  const events = await listen(`${url}/v1/runs/${run}/events`);
  const silent = await listen(`${url}/v1/runs/${run}/events?live=false`);
  const { body } = await ask(`${url}/v1/tasks?run=${run}`);
  const [task] = body['data'] as { id: string }[]; // as the contract says
  await ask(`${url}/v1/tasks/${task?.id}/answer`, { text: 'Paris' });

  const frames = await events.frames;
  up.signal('SIGTERM');
  await up.ended;

  const utterances = liveIn(frames);
  expect(utterances.map((each) => each.text).join('')).toBe('Rain falls on Paris.');
  expect(utterances.length).toBeGreaterThan(1);
  expect(utterances[0]).toMatchObject({ node: 'Poet', step: 'chat m', from: 0 });
  expect(frames.filter((frame) => frame.startsWith('event: live')).some((frame) => frame.includes('\nid:'))).toBe(
    false,
  );
  expect((await silent.frames).join('\n')).not.toContain('event: live');
  expect(frames.filter((frame) => frame.startsWith('id: '))).toEqual(
    (await silent.frames).filter((frame) => frame.startsWith('id: ')),
  );
});

it('shows it only on a terminal', async () => {
  const args = ['run', 'poem.yaml', '--local', '--input', 'go', '--answers', 'answers.yaml'];
  const command = JSON.stringify([process.execPath, main, ...args]);
  const terminal = spawn('python3', ['-c', `import pty; pty.spawn(${command})`], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const piped = startMillrace(args, { cwd });

  const shown = stripVTControlCharacters(await text(terminal.stdout));

  expect(shown).toMatch(/^ {2}Poet │ Rain falls on Paris\.\r\n✔ Poet/m);
  const { stdout, stderr } = await piped.ended;
  expect(stdout.trim()).toBe('Rain falls on Paris.');
  expect(stderr).not.toContain('│');
});
