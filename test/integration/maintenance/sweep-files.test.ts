import { randomUUID } from 'node:crypto';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { messageWithAttachments, RequestError, textMessage } from '@millrace/core';
import type { BlobLocation, TenantRuntime } from '@millrace/runtime';
import { connect, createTenantRuntime, openRuntime, sweepFilesNow } from '@millrace/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { directoryBeforeEach, openBeforeAll, openBeforeEach } from '../../support/fixtures.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { journalOf } from '../../support/runs/audit.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { turning } from '../../support/runs/turning.ts';
import { untilEnded } from '../../support/runs/watching.ts';
import { startS3 } from '../../support/s3/s3-server.ts';

const hourMs = 3_600_000;
const echo = 'graph:\n  id: echo\n  nodes: [{ id: A, type: passthrough, config: {} }]\n';

const s3 = openBeforeAll(startS3);

describe.each(['redis', 'directory', 's3'] as const)('unreferenced contents, in a %s', (kind) => {
  let blobsLocation: BlobLocation;

  const installation = openBeforeEach(newInstallation);
  const directory = directoryBeforeEach();
  const connection = openBeforeEach(() => connect(installation.url, 'test'));
  let stage: Stage;
  let tenantRuntime: TenantRuntime;

  beforeEach(async () => {
    const { url, prefix } = installation;
    const locations: Record<typeof kind, BlobLocation> = {
      redis: { type: 'redis' },
      directory: { type: 'directory', path: directory },
      s3: { type: 's3', location: s3.location(`${randomUUID()}/`), spool: directory },
    };
    const blobs = locations[kind];
    blobsLocation = blobs;
    stage = await openStage({ where: { redisUrl: url, prefix, blobs, journalWindow: 100 } });
    tenantRuntime = createTenantRuntime(stage.runtime, 'default');
  });
  afterEach(async () => {
    await stage.close();
    const keys = await connection.keys(`${installation.prefix}:*`);
    if (keys.length > 0) await connection.unlink(...keys);
  });

  const sweep = () => sweepFilesNow({ ...stage.runtime, keepMs: hourMs }, new AbortController().signal);
  const upload = (text: string) =>
    tenantRuntime.files.add({
      name: `${text}.txt`,
      pieces: (async function* () {
        yield Buffer.from(text);
      })(),
    });
  const finished = async (run: string) => {
    await untilEnded(stage.runtime.runs, run);
    return run;
  };
  const start = async (input: Parameters<typeof tenantRuntime.start>[0]['input']) =>
    finished(await tenantRuntime.start({ workflow: workflowIn(echo, stage.vocabulary), input }));

  /** Makes everything that is there two hours older. */
  async function age(): Promise<void> {
    const long = Date.now() - 2 * hourMs;
    const { registry } = stage.runtime.store;
    for (const { id, json } of await registry.page('files/default', '', 1000)) {
      await registry.write('files/default', id, JSON.stringify({ ...JSON.parse(json), createdAt: long, usedAt: long }));
    }
    for (const digest of await connection.zrange(`${installation.prefix}:blobs`, '0', '-1')) {
      await connection.zadd(`${installation.prefix}:blobs`, long, digest);
    }
    for (const file of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (file.isFile()) await utimes(join(file.parentPath, file.name), new Date(long), new Date(long));
    }
  }

  it('are deleted, and none that a run, a schedule or a batch refers to', async () => {
    const { runs, store, blobs } = stage.runtime;
    const orphan = await blobs.put(Buffer.from('of a crash'));
    const [unused, used, within, scheduled, batched] = [
      await upload('unused'),
      await upload('used'),
      await upload('within'),
      await upload('scheduled'),
      await upload('batched'),
    ];
    const first = await start([
      messageWithAttachments('Look.', await tenantRuntime.files.attachments([used.id]), 'TASK'),
    ]);
    const long = `Look. ${'x'.repeat(70_000)}`;
    const second = await start([
      messageWithAttachments(long, await tenantRuntime.files.attachments([within.id]), 'TASK'),
    ]);
    const many = await finished(await tenantRuntime.start({ workflow: turning(60, stage.vocabulary), input: 'go' }));
    const fork = await tenantRuntime.run(first).fork({ at: 'a1', output: textMessage('assistant', 'Else.', 'A') });
    await finished(fork);
    const replay = await finished(await tenantRuntime.run(second).replay({}));
    await tenantRuntime.run(first).remove();
    const run = { workflow: { yaml: echo }, attachments: [scheduled.id] };
    await tenantRuntime.schedules.create({
      id: 'nightly',
      cron: '0 0 * * *',
      timezone: 'UTC',
      run,
      missed: 'skip',
      overlap: 'allow',
      paused: false,
    });
    const work = JSON.stringify({ input: 'x', attachments: [batched.id] });
    await tenantRuntime.batches.create({ id: 'b', run: {}, parallel: 1, total: 1 }, [
      { row: 1, status: 'waiting', json: work },
    ]);
    const { length } = await journalOf(store, many);
    await age();
    const fresh = await blobs.put(Buffer.from('just put'));

    await sweep();

    const has = (digests: readonly string[]) => Promise.all(digests.map((digest) => blobs.has(digest)));
    expect(await has([orphan, unused.digest])).toEqual([false, false]);
    expect(await has([used, within, scheduled, batched].map(({ digest }) => digest))).toEqual([true, true, true, true]);
    expect(await blobs.has(fresh)).toBe(true);
    await expect(tenantRuntime.files.find(unused.id)).rejects.toMatchObject({ code: 'FILE_UNKNOWN' });
    await expect(tenantRuntime.files.find(used.id)).rejects.toMatchObject({ code: 'FILE_UNKNOWN' });
    expect((await tenantRuntime.files.find(scheduled.id)).id).toBe(scheduled.id);
    expect(await journalOf(store, many)).toHaveLength(length);
    expect((await runs.describe(replay))?.output?.content).toMatchObject([{ text: long }, {}]);

    for (const one of [second, many, fork, replay]) await tenantRuntime.run(one).remove();
    await age();
    await sweep();
    expect(await has([used.digest, within.digest, fresh])).toEqual([false, false, false]);
    expect(await blobs.has(scheduled.digest)).toBe(true);
  });

  it('stay when a reference to them is about to be written, or the reference is refused', async () => {
    const { blobs } = stage.runtime;
    const names = Array.from({ length: 12 }, (_, at) => `old ${at}`);
    const files = await Promise.all(names.map(upload));
    await age();
    const use = async (id: string) => {
      try {
        return await start([messageWithAttachments('Look.', await tenantRuntime.files.attachments([id]), 'TASK')]);
      } catch (error) {
        if (error instanceof RequestError && ['FILE_UNKNOWN', 'BLOB_MISSING'].includes(error.code)) return undefined;
        throw error;
      }
    };
    const [half, rest] = [files.slice(0, 6), files.slice(6)];
    const [runs, again] = await Promise.all([
      Promise.all(half.map(({ id }) => use(id))),
      Promise.all(names.slice(6).map(upload)),
      sweep(),
    ]);

    await sweep();
    for (const [at, { digest }] of half.entries()) expect(await blobs.has(digest)).toBe(runs[at] !== undefined);
    // What was uploaded again is there, whether it was let go of before that or not.
    for (const [at, { digest, id }] of rest.entries()) {
      expect(again[at]?.id).toBe(id);
      expect([await blobs.has(digest), (await tenantRuntime.files.find(id)).id]).toEqual([true, id]);
    }
  });

  it('are deleted automatically where a retention is configured', async () => {
    const orphan = await stage.runtime.blobs.put(Buffer.from('of a crash'));
    await age();
    const { url, prefix } = installation;
    const where = { redisUrl: url, prefix, blobs: blobsLocation, keepFilesMs: hourMs };
    const runtime = await openRuntime(where, stage.vocabulary, () => undefined);
    runtime.startCaretaker();

    while (await stage.runtime.blobs.has(orphan));

    await runtime.close();
  });

  it('are not deleted while a possible reference cannot be read', async () => {
    const { blobs } = stage.runtime;
    const long = 'y'.repeat(70_000);
    await start(long);
    const orphan = await blobs.put(Buffer.from('of a crash'));
    await age();
    for await (const digest of blobs.idle(0)) if (digest !== orphan) await blobs.delete(digest);

    await expect(sweep()).rejects.toMatchObject({ code: 'BLOB_MISSING' });

    expect(await blobs.has(orphan)).toBe(true);
  });
});
