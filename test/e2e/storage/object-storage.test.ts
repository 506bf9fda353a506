import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import { textOf } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { connect, createS3Blobs, createShard, openBucket, openRuntime } from '@millrace/runtime';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { ask } from '../../support/http/http.ts';
import { command } from '../../support/processes/command.ts';
import { startMillrace, startServer } from '../../support/processes/millrace.ts';
import { startWorkerProcess } from '../../support/processes/worker-process.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { untilEnded } from '../../support/runs/watching.ts';
import { startS3 } from '../../support/s3/s3-server.ts';

/* Processes with directories of their own, which share a Redis and an S3 store. */

const vocabulary = createVocabulary();

const redis = openBeforeAll(startRedis);
const s3 = openBeforeAll(startS3);
const base = directoryBeforeAll();
let runtime: Runtime;
beforeAll(async () => {
  const blobs = { type: 's3', location: s3.location('contents/'), spool: join(base, 'spool') } as const;
  runtime = await openRuntime({ redisUrl: redis.url, blobs }, vocabulary, () => undefined);
});
const processes: { kill(): unknown }[] = [];
afterEach(async () => {
  for (const one of processes.splice(0)) await one.kill();
});
afterAll(async () => {
  await runtime.close();
});

/** Environment of a process on a machine of its own. */
const machine = (name: string): Readonly<Record<string, string>> => ({
  ...s3.variables('contents'),
  REDIS_URL: redis.url,
  MILLRACE_DIR: join(base, name),
  MILLRACE_SANDBOX: 'none',
});

async function startWorker(name: string, variables: Readonly<Record<string, string>> = {}) {
  const worker = await startWorkerProcess(redis.url, { ...machine(name), ...variables });
  processes.push(worker);
  return worker;
}

async function serve() {
  const { url, stop } = await startServer(['serve', '--port', '0'], { env: machine('server') });
  processes.push({ kill: () => stop('SIGKILL') });
  return url;
}

const python = (id: string, code: string, queue = 'default') => `
    - {id: ${id}, type: literal, config: {content: ${JSON.stringify(code)}}}
    - {id: Run${id}, type: python, queue: ${queue}, config: {}}`;

const chain = (...parts: readonly string[]) => {
  const nodes = parts.join('');
  const ids = [...nodes.matchAll(/\{id: (\w+)/g)].map(([, id = '']) => id);
  const edges = ids.slice(1).map((id, at) => `    - {from: ${ids[at]}, to: ${id}}`);
  return `graph:\n  id: machines\n  start: [${ids[0]}]\n  end: [${ids.at(-1)}]\n  nodes:${nodes}\n  edges:\n${edges.join('\n')}\n`;
};

async function start(url: string, yaml: string, attachments: readonly string[] = []): Promise<string> {
  const started = await ask(`${url}/v1/runs`, { workflow: { yaml }, input: 'go', attachments });
  expect(started).toMatchObject({ status: 201 });
  return String(started.body['runId']);
}

/** The Redis of the installation, as a process sees it. */
function shardOf() {
  const connection = connect(redis.url, 'test');
  return createShard(connection);
}

async function resultOf(run: string) {
  await untilEnded(runtime.runs, run);
  const description = await runtime.runs.describe(run);
  return { status: description?.status, text: description?.output === undefined ? '' : textOf(description.output) };
}

it('shares files, workspaces, long messages and artifacts between workers and a server with different directories', async () => {
  const [url] = await Promise.all([
    serve(),
    startWorker('one', { MILLRACE_QUEUES: 'default,one' }),
    startWorker('two', { MILLRACE_QUEUES: 'two' }),
  ]);
  const form = new FormData();
  form.append('file', new Blob(['attached']), 'attached.txt');
  const uploaded = await fetch(`${url}/v1/files`, { method: 'POST', body: form });
  const { id } = (await uploaded.json()) as { id: string };
  const write = `open("made.bin", "wb").write(b"made" * 100000); print("x" * 70000)`;
  const read = `import glob; a = open(glob.glob("attachments/*/attached.txt")[0]).read(); print(a, len(open("made.bin").read())); open("made.bin", "a").write("!")`;

  const run = await start(url, chain(python('Write', write, 'one'), python('Read', read, 'two')), [id]);

  expect(await resultOf(run)).toEqual({ status: 'completed', text: 'attached 400000\n' });
  const shown = await command(['artifacts', run, '--get', 'made.bin'], { MILLRACE_URL: url });
  expect(shown.stdout).toBe(`${'made'.repeat(100_000)}!`);
  const names = await s3.objects();
  expect(names.length).toBeGreaterThanOrEqual(4);
  expect(names.every((name) => /^contents\/[0-9a-f]{64}\.[0-9a-f]{12}$/.test(name))).toBe(true);
});

it('continues a run whose results cannot be stored while the S3 server is away', async () => {
  const [url, worker] = await Promise.all([serve(), startWorker('one')]);
  await s3.kill();
  const run = await start(url, chain(python('Write', 'open("late.txt", "w").write("late"); print("done")')));
  await worker.says(/s3:\/\/contents\/contents\/ at .* cannot be reached: .*; trying again/);
  await s3.restart();

  expect(await resultOf(run)).toEqual({ status: 'completed', text: 'done\n' });
  await worker.says(/answers again after/);
  expect((await command(['artifacts', run, '--get', 'late.txt'], { MILLRACE_URL: url })).stdout).toBe('late');
});

it('leaves no object that nothing names when a worker dies while it stores files, and completes the run', async () => {
  const [url, first] = await Promise.all([serve(), startWorker('one')]);
  s3.freeze();
  const run = await start(url, chain(python('Write', 'open("half.bin", "wb").write(b"half" * 300000); print("done")')));
  const { connection, keys } = shardOf();
  await expect.poll(() => connection.zcard(keys.blobUploads)).toBeGreaterThan(0);
  await first.kill();
  s3.thaw();
  await startWorker('two');

  expect(await resultOf(run)).toEqual({ status: 'completed', text: 'done\n' });
  const bucket = openBucket(s3.location('contents/'), () => undefined);
  const spool = join(base, 'spool');
  await createS3Blobs({ shard: { connection, keys }, bucket, spool }).sweepObjects(new AbortController().signal, 0);
  const entries = Object.entries(await connection.hgetall(keys.blobObjects));
  const named = entries.map(([digest, entry]) => `contents/${digest}.${entry.split(' ')[0]}`);
  expect([...(await s3.objects())].sort()).toEqual(named.sort());
  expect((await command(['artifacts', run, '--get', 'half.bin'], { MILLRACE_URL: url })).stdout).toHaveLength(
    1_200_000,
  );
  connection.disconnect();
  await bucket.close();
});

it('archives a run before its removal, and reads the archived run', async () => {
  const env = { ...machine('cli'), MILLRACE_ARCHIVE: `s3://contents/archive?endpoint=${s3.endpoint}` };
  const [url] = await Promise.all([serve(), startWorker('one')]);
  const run = await start(url, chain(python('Say', 'print("said")')));
  await resultOf(run);
  const journal = await command(['journal', run], env);

  expect(await command(['rm', run], env)).toMatchObject({ code: 0 });
  expect(await s3.objects()).toContain(`archive/${run}.jsonl`);
  const archived = await command(['journal', '--file', `s3://contents/archive/${run}.jsonl`], env);
  const types = ({ stdout }: typeof archived) => stdout.match(/^\S+ +\S+ \S+/gm);
  expect(types(archived)).toEqual(types(journal));
  const replay = await command(['replay', '--file', `s3://contents/archive/${run}.jsonl`], env);
  expect(replay).toMatchObject({ code: 0, stdout: expect.stringContaining('said') });
  const other = await command(['journal', '--file', 's3://other/x.jsonl'], env);
  expect(other).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('MILLRACE_ARCHIVE names s3://contents/archive/'),
  });
});

it('moves the contents of a directory to the bucket, so that runs from before find theirs', async () => {
  const before = { ...machine('before'), MILLRACE_BLOBS: `dir:${join(base, 'shared')}`, MILLRACE_PREFIX: 'moved' };
  const after = { ...before, ...s3.variables('moved') };
  const file = join(base, 'flow.yaml');
  await writeFile(file, chain(python('Write', 'open("old.txt", "w").write("old"); print("done")')));
  const { stdout } = await command(['run', file, '--input', 'go', '--json'], before);
  const { runId } = JSON.parse(stdout) as { runId: string };
  const reading = ['artifacts', runId, '--get', 'old.txt'];
  expect((await command(reading, after)).stderr).toContain('BLOB_MISSING');

  const copy = ['blobs', 'copy', '--from', before.MILLRACE_BLOBS, '--json'];
  const first = JSON.parse((await command(copy, after)).stdout) as { copied: number };
  expect(first.copied).toBeGreaterThan(0);
  expect(JSON.parse((await command(copy, after)).stdout)).toEqual({ copied: 0, present: first.copied, damaged: 0 });
  expect((await command(reading, after)).stdout).toBe('old');
});

it('refuses to start with a bucket that cannot be used, names the cure, and prints no secret', async () => {
  const secret = 'a-secret-that-is-wrong';
  const keys = { AWS_ACCESS_KEY_ID: 'unknown', AWS_SECRET_ACCESS_KEY: secret };
  const env = { ...machine('wrong'), ...keys, MILLRACE_LOG_LEVEL: 'trace' };
  for (const args of [['worker'], ['serve', '--port', '0']]) {
    const ended = await startMillrace(args, { env }).ended;

    expect(ended).toMatchObject({ code: 5, stderr: expect.stringMatching(/Check AWS_ACCESS_KEY_ID.*S3_CREDENTIALS/s) });
    expect(ended.stdout + ended.stderr).not.toContain(secret);
  }
  const doctor = await command(['doctor'], env);
  expect(doctor.stdout).toMatch(/✖ blobs +s3:\/\/contents\/contents\/ at .* does not accept the keys/);
  expect((await command(['doctor'], machine('right'))).stdout).toMatch(/✔ blobs +s3:.* can be read and written/);
});
