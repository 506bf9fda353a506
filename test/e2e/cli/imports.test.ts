import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { omitUndefined } from '@millrace/core';
import { afterEach, describe, expect, it } from 'vitest';
import { directoryBeforeEach } from '../../support/fixtures.ts';
import { millrace } from '../../support/processes/millrace.ts';
import type { RedisServer } from '../../support/redis/redis.ts';
import { startRedis } from '../../support/redis/redis.ts';

/* Commands start fast because they load only what they need. */

const recorder = pathToFileURL(join(import.meta.dirname, '../../support/processes/record-imports.mjs')).href;
/** The command before it is bundled. */
const modules = join(import.meta.dirname, '../../../packages/cli/dist/main.js');

const cwd = directoryBeforeEach();
let server: Server;
let redis: RedisServer | undefined;
afterEach(async () => {
  server?.close();
  await redis?.stop();
  redis = undefined;
});

/** Calls a command, and returns the modules that it has loaded by their packages; those of Millrace with their folder. */
async function modulesOf(args: readonly string[], env: Record<string, string>): Promise<readonly string[]> {
  const urls = await importsOf(args, env, modules);
  return [...new Set(urls.flatMap(moduleOf))].sort();
}

/** Calls the bundled command, and returns the parts of the bundle that it has loaded. */
async function partsOf(args: readonly string[], env: Record<string, string> = {}): Promise<readonly string[]> {
  const urls = await importsOf(args, env);
  const part = /\/dist\/bundle\/(commands|settings|language|runtime|execution)\.js$/;
  return [...new Set(urls.flatMap((url) => part.exec(url)?.[1] ?? []))].sort();
}

async function importsOf(
  args: readonly string[],
  env: Record<string, string>,
  build?: string,
): Promise<readonly string[]> {
  const file = join(cwd, 'imports');
  const recording = { NODE_OPTIONS: `--import ${recorder}`, RECORDED_IMPORTS: file };
  const surroundings = { cwd, env: { ...env, ...recording }, ...omitUndefined({ build }) };
  expect(await millrace(args, surroundings)).toMatchObject({ code: 0 });
  const urls = readFileSync(file, 'utf8').split('\n');
  rmSync(file);
  return urls;
}

function moduleOf(url: string): readonly string[] {
  const [, dependency] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  const [, name, folder] = /\/packages\/([^/]+)\/dist\/(?:([^/]+)\/)?/.exec(url) ?? [];
  if (url === 'fetch') return ['fetch'];
  if (dependency !== undefined) return [dependency];
  return name === undefined ? [] : [folder === undefined ? name : `${name}/${folder}`];
}

/** Starts a server that pauses any run; returns its address. */
async function startPausingServer(): Promise<string> {
  server = createServer((_, response) =>
    response.setHeader('content-type', 'application/json').end('{"runId":"r","status":"paused"}'),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number }; // it listens on a port
  return `http://127.0.0.1:${port}`;
}

describe('a command to an HTTP API', () => {
  it('loads the client, and neither the workflow language, runtime, api, zod nor the implementation of fetch', async () => {
    expect(await modulesOf(['pause', 'r'], { MILLRACE_URL: await startPausingServer() })).toEqual([
      'cli',
      'cli/client',
      'cli/commands',
      'cli/config',
      'cli/exit',
      'cli/follow',
      'cli/options',
      'cli/output',
      'cli/process',
      'cli/requests',
      'cli/serve',
      'cli/workflow',
      'client',
      'client/generated',
      'client/http',
      'client/resources',
      'client/run',
      'commander',
      'core/definitions',
      'core/model',
      'core/resources',
      'eventsource-parser',
      'picocolors',
      'runtime/files',
    ]);
  });
});

describe('a local command', () => {
  it('loads operations and runtime, and neither server, worker, template engine nor HTTP client', async () => {
    redis = await startRedis();

    const modules = await modulesOf(['runs'], { REDIS_URL: redis.url });

    expect(modules).toEqual(expect.arrayContaining(['api', 'orchestrator/local', 'runtime']));
    const others =
      /^(worker|orchestrator\/(http|routes|mcp)|fastify|@fastify|@bull-board|@modelcontextprotocol|pino|csv-parse|minijinja-js|undici)/;
    expect(modules.filter((name) => others.test(name))).toEqual([]);
  });
});

describe('the bundle', () => {
  it('is loaded in the parts that a command needs', async () => {
    redis = await startRedis();
    writeFileSync(
      join(cwd, 'flow.yaml'),
      'graph:\n  id: good\n  nodes: [{id: A, type: literal, config: {content: hello}}]\n',
    );

    expect(await partsOf(['--help'])).toEqual(['commands']);
    expect(await partsOf(['pause', 'r'], { MILLRACE_URL: await startPausingServer() })).toEqual(['commands']);
    expect(await partsOf(['check', 'flow.yaml'])).toEqual(['commands', 'language', 'settings']);
    expect(await partsOf(['runs'], { REDIS_URL: redis.url })).toEqual(['commands', 'language', 'runtime', 'settings']);
  });
});
