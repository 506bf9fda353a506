import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { directoryOfTest } from '../support/fixtures.ts';
import { ask } from '../support/http/http.ts';
import { command } from '../support/processes/command.ts';
import { startMillrace } from '../support/processes/millrace.ts';
import { startRedis } from '../support/redis/redis.ts';
import { startS3 } from '../support/s3/s3-server.ts';

/** Longer than requests are repeated. */
const outageMs = 25_000;
const expiring = 20;

const asking = 'graph: { id: asking, nodes: [{ id: A, type: human, config: {} }] }\n';
const writing = `graph:
  id: writing
  nodes:
    - { id: Code, type: literal, config: { content: 'open("late.txt", "w").write("late"); print("done")' } }
    - { id: Run, type: python, config: {} }
  edges: [{ from: Code, to: Run }]
`;

it.for([
  ['is away', 'S3_UNREACHABLE'],
  ['does not answer', 'S3_SLOW'],
] as const)(
  'loses no run and no contents while the S3 store %s for longer than requests are repeated',
  async ([fate, code], { onTestFinished }) => {
    const [redis, s3] = await Promise.all([startRedis(), startS3()]);
    const base = directoryOfTest();
    onTestFinished(redis.stop);
    onTestFinished(s3.stop);
    const variables = {
      ...s3.variables('contents'),
      MILLRACE_ARCHIVE: `s3://contents/archive?endpoint=${s3.endpoint}`,
      MILLRACE_KEEP: 'cancelled=1s',
      MILLRACE_SANDBOX: 'none',
      REDIS_URL: redis.url,
    };
    const env = (name: string) => ({ ...variables, MILLRACE_DIR: join(base, name) });
    const server = startMillrace(['serve', '--port', '0'], { env: env('server') });
    const worker = startMillrace(['worker'], { env: env('worker') });
    onTestFinished(async () => {
      await Promise.all([server, worker].map((one) => one.stop('SIGKILL')));
    });
    const [, url = ''] = await server.says(/HTTP API is at (\S+)/);
    await worker.says(/Working on runs/);
    const start = async (yaml: string) =>
      String((await ask(`${url}/v1/runs`, { workflow: { yaml }, input: 'Go.' })).body['runId']);
    const startAll = (count: number, yaml: string) => Promise.all(Array.from({ length: count }, () => start(yaml)));
    const upload = () => {
      const form = new FormData();
      form.append('file', new Blob(['uploaded']), 'uploaded.txt');
      return fetch(`${url}/v1/files`, { method: 'POST', body: form });
    };
    const ended = await startAll(expiring, asking);

    if (fate === 'is away') await s3.kill();
    else s3.freeze();
    for (const run of ended) await ask(`${url}/v1/runs/${run}/cancel`, {});
    const late = await startAll(3, writing);
    const [refused] = await Promise.all([upload(), sleep(outageMs)]);
    const refusal = (await refused.json()) as { code: string };
    const waiting = await Promise.all([...ended, ...late].map((run) => ask(`${url}/v1/runs/${run}`)));
    if (fate === 'is away') await s3.restart();
    else s3.thaw();
    const continued = performance.now();
    const completed = await Promise.all(late.map((run) => ask(`${url}/v1/runs/${run}?wait=60s`)));
    const continuedMs = performance.now() - continued;
    const files = await Promise.all(
      late.map((run) => command(['artifacts', run, '--get', 'late.txt'], { MILLRACE_URL: url })),
    );
    const accepted = await upload();
    const archived = () => s3.objects().then((names) => ended.filter((run) => !names.includes(`archive/${run}.jsonl`)));
    await expect.poll(archived, { timeout: 60_000, interval: 500 }).toEqual([]);
    const gone = async () =>
      (await Promise.all(ended.map((run) => ask(`${url}/v1/runs/${run}`)))).map((one) => one.status);
    await expect.poll(gone, { timeout: 30_000, interval: 500 }).toEqual(ended.map(() => 404));
    for (const one of [server, worker]) one.signal('SIGTERM');
    const [served, worked] = await Promise.all([server.ended, worker.ended]);

    process.stderr.write(
      `runs completed ${Math.round(continuedMs)} ms after the store was back\n${worked.stderr}\n${served.stderr}\n`,
    );
    expect([refused.status, refused.headers.get('retry-after'), refusal.code]).toEqual([503, '1', code]);
    expect(waiting.map(({ body }) => body['status'])).toEqual([
      ...ended.map(() => 'cancelled'),
      ...late.map(() => 'running'),
    ]);
    expect(completed.map(({ body }) => body['status'])).toEqual(late.map(() => 'completed'));
    expect(files.map(({ stdout }) => stdout)).toEqual(late.map(() => 'late'));
    expect(accepted.status).toBe(201);
    for (const { code: exit, stderr } of [served, worked]) {
      expect(exit).toBe(0);
      for (const place of ['contents', 'archive']) {
        const times = (what: string) =>
          stderr.match(new RegExp(`s3://contents/${place}/ at \\S+ ${what}`, 'g'))?.length ?? 0;
        const begins = times('(cannot be reached: .*|does not answer in time); trying again');
        expect(begins).toBeLessThan(2);
        expect(times('answers again after')).toBe(begins);
      }
      expect(stderr.split('\n').length).toBeLessThan(20);
    }
    expect(worked.stderr).toMatch(new RegExp(`"code":"${code}".*"msg":"an attempt was abandoned"`));
    // One after the other, and a request that is not answered takes its time.
    if (fate === 'is away')
      expect(worked.stderr).toMatch(/the run run_\w+ and 19 others could not be removed; trying again/);
  },
);
