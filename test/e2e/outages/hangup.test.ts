import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { startMillrace } from '../../support/processes/millrace.ts';
import { closeTerminalOf } from '../../support/processes/pseudo-terminal.ts';
import { newInstallation } from '../../support/redis/installation.ts';

const cwd = directoryBeforeAll();
const { env } = newInstallation();
const node = '{ id: A, type: literal, config: { content: said } }';
const file = 'flow.yaml';

it.concurrent.each([
  { args: ['worker'], says: /Working on runs/ },
  { args: ['serve', '--port', '0'], says: /HTTP API is at/ },
  { args: ['up', '--port', '0'], says: /Working on runs/ },
  { args: ['dev', file, '--input', 'Go.'], says: /Waiting for changes/ },
])('millrace $args.0 ends in order on SIGHUP, however often it is sent', async ({ args, says }) => {
  writeFileSync(join(cwd, file), `graph: { id: g, nodes: [${node}] }\n`);
  const command = startMillrace(args, { cwd, env: { ...env, MILLRACE_DIR: args[0] ?? '' } });
  await command.says(says);

  command.signal('SIGHUP');
  command.signal('SIGHUP');

  expect((await command.ended).code).toBe(0);
  // A server that ends in order takes its address back.
  expect(existsSync(join(cwd, args[0] ?? '', 'server-url'))).toBe(false);
});

it.concurrent('a server ends in order when its terminal is closed', async () => {
  const args = ['up', '--port', '0'];
  const ended = await closeTerminalOf(args, { cwd, env: { ...env, MILLRACE_DIR: 'closed' }, shown: 'Working on runs' });

  // As a shell expects of a program that its terminal has ended.
  expect(ended).toBe('SIGHUP');
  expect(existsSync(join(cwd, 'closed', 'server-url'))).toBe(false);
});
