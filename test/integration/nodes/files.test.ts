import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import type { Message, Workflow } from '@millrace/core';
import { attachmentOf, messageWithAttachments, questionOf, textMessage, textOf } from '@millrace/core';
import type { Runtime } from '@millrace/runtime';
import { openRuntime } from '@millrace/runtime';
import type { RunningWorker } from '@millrace/worker';
import { startWorker } from '@millrace/worker';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { directoryOfTest } from '../../support/fixtures.ts';
import { bothPlaces } from '../../support/redis/installation.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { entriesOf } from '../../support/runs/watching.ts';

const vocabulary = createVocabulary();
const links = 8;

const program = (source: string) => JSON.stringify(source);

/** Python nodes in a row, each of which adds its name to a file and shows it; a person is asked half-way. */
const chain = (): Workflow => {
  const names = Array.from({ length: links }, (_, at) => `P${at}`);
  const nodes = names.flatMap((name) => [
    `    - {id: say ${name}, type: literal, config: {content: ${program(`open("log.txt", "a").write("${name} ")\nprint(open("log.txt").read())`)}}}`,
    `    - {id: ${name}, type: python, config: {}}`,
  ]);
  const next = (at: number) => (at + 1 === links / 2 ? 'H' : `say ${names[at + 1]}`);
  const edges = names.flatMap((name, at) => [
    `    - {from: say ${name}, to: ${name}}`,
    ...(at + 1 < links ? [`    - {from: ${name}, to: ${next(at)}}`] : []),
  ]);
  nodes.push('    - {id: H, type: human, config: {}}');
  edges.push(`    - {from: H, to: say ${names[links / 2]}}`);
  return workflowIn(
    [
      'graph:',
      '  id: chain',
      '  start: [say P0]',
      `  end: [P${links - 1}]`,
      '  nodes:',
      ...nodes,
      '  edges:',
      ...edges,
    ].join('\n'),
    vocabulary,
  );
};

/** A program for each part of a list, side by side, and one that shows what they have left. */
const fan = () =>
  workflowIn(
    `graph:
  id: fan
  start: [List]
  end: [Show]
  nodes:
    - id: List
      type: literal
      config:
        content: |
          open("one.txt", "w").write("1"); open("all.txt", "a").write("1")
          open("two.txt", "w").write("2"); open("all.txt", "a").write("2")
          open("three.txt", "w").write("3"); open("all.txt", "a").write("3")
    - {id: Write, type: python, config: {}}
    - {id: Look, type: literal, config: {content: ${program('import glob\nprint(sorted(glob.glob("*.txt")), open("all.txt").read())')}}}
    - {id: Show, type: python, config: {}}
  edges:
    - {from: List, to: Write, dynamic: {type: map, config: {split_type: lines, max_parallel: 3}}}
    - {from: Write, to: Look}
    - {from: Look, to: Show}
`,
    vocabulary,
  );

/** A program that leaves a file, and one that removes it, leaves another and fails. */
const halfDone = () =>
  workflowIn(
    `graph:
  id: half-done
  start: [say A]
  nodes:
    - {id: say A, type: literal, config: {content: ${program('open("kept.txt", "w").write("kept")')}}}
    - {id: A, type: python, config: {}}
    - {id: say B, type: literal, config: {content: ${program('import os\nos.remove("kept.txt")\nopen("half.txt", "w").write("half")\nimport time; time.sleep(60)')}}}
    - {id: B, type: python, timeout: 1, config: {}}
  edges: [{from: say A, to: A}, {from: A, to: say B}, {from: say B, to: B}]
`,
    vocabulary,
  );

const reading = () =>
  workflowIn(
    `graph:
  id: reading
  start: [Say]
  end: [Read]
  nodes:
    - {id: Say, type: literal, config: {content: ${program('import glob\nfor path in sorted(glob.glob("attachments/*/*")): print(path.split("/")[2], open(path).read())')}}}
    - {id: Read, type: python, config: {}}
  edges: [{from: Say, to: Read}]
`,
    vocabulary,
  );

describe.each(bothPlaces())('with runs in %s and two workers that share no directory', (place, where) => {
  let runtimes: Runtime[];
  let workers: RunningWorker[];
  let directories: string[];
  beforeEach(async () => {
    const open = () => openRuntime(where, vocabulary, () => undefined);
    // In memory there is one process and so one worker.
    runtimes = place === 'memory' ? [await open()] : [await open(), await open()];
    directories = runtimes.map(directoryOfTest);
    workers = runtimes.map(addWorker);
  });
  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await Promise.all(runtimes.map((runtime) => runtime.close()));
  });

  const addWorker = (runtime: Runtime, at: number): RunningWorker =>
    startWorker({
      runtime,
      vocabulary,
      concurrency: 1,
      name: `host ${at}`,
      log: pino({ level: 'silent' }),
      workspaces: directories[at] ?? '',
    });

  const first = (): Runtime => {
    const [runtime] = runtimes;
    if (runtime === undefined) throw new Error('No test is running.');
    return runtime;
  };

  async function result(workflow: Workflow, input: string | readonly Message[], halfWay = async () => {}) {
    const { runs } = first();
    const run = await runs.start({ workflow, input });
    for await (const { event } of entriesOf(runs, run)) {
      if (event.type !== 'activation.suspended') continue;
      await halfWay();
      await runs.answer(run, questionOf(event), { message: textMessage('user', 'continue', 'H') });
    }
    const description = await runs.describe(run);
    const output = description?.output === undefined ? '' : textOf(description.output);
    return { run, status: description?.status, output: output.trim() };
  }

  it('a program finds the files of earlier ones, on every worker', async () => {
    const [, second] = workers;
    await second?.close();
    const { run, output } = await result(chain(), 'go', async () => {
      // From here on it is the other host's run.
      if (second === undefined) return;
      await workers[0]?.close();
      workers[1] = addWorker(runtimes[1] ?? first(), 1);
    });

    expect(output).toBe(Array.from({ length: links }, (_, at) => `P${at}`).join(' '));
    const artifacts = await first().runs.artifacts(run);
    const hosts = await Promise.all(directories.map((directory) => readdir(directory)));
    expect(hosts.map((names) => names.includes(run))).toEqual(directories.map(() => true));
    expect(artifacts.find(({ path }) => path === 'log.txt')).toMatchObject({
      node: `P${links - 1}`,
      workspace: 's0',
      mimeType: 'text/plain',
      size: 3 * links,
    });
    const [earlier] = await first().runs.artifacts(run, 'a2');
    expect(Buffer.from((await first().blobs.get(earlier?.digest ?? '')) ?? []).toString()).toContain('P0');
  });

  it('changes of a failed program are discarded', async () => {
    const { run, status } = await result(halfDone(), 'go');

    expect(status).toBe('failed');
    const artifacts = await first().runs.artifacts(run);
    expect(artifacts.filter(({ path }) => path.endsWith('.txt')).map(({ path, node }) => [path, node])).toEqual([
      ['kept.txt', 'A'],
    ]);
  });

  it('parallel units have separate files, which are merged in their order', async () => {
    const { run, output } = await result(fan(), 'go');

    expect(output).toBe("['all.txt', 'one.txt', 'three.txt', 'two.txt'] 3");
    const left = await Promise.all(directories.map((directory) => readdir(join(directory, run)).catch(() => [])));
    expect(left.flat().filter((name) => name !== 'code_workspace' && !name.startsWith('.installation-'))).toEqual([]);
  });

  it('attachments are in their folder', async () => {
    const attached = await Promise.all(
      ['b.csv', 'a.csv'].map(async (name) => {
        const bytes = Buffer.from(`of ${name}`);
        return attachmentOf(name, { digest: await first().blobs.put(bytes), size: bytes.length });
      }),
    );
    const { output } = await result(reading(), [messageWithAttachments('look', attached, 'TASK')]);

    expect(output.split('\n').sort()).toEqual(['a.csv of a.csv', 'b.csv of b.csv']);
  });
});
