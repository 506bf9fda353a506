import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JournalEntry, Workflow } from '@millrace/core';
import { compile } from '@millrace/core';
import { beginRunProjection, project } from '@millrace/core/projection';
import { createTenantRuntime } from '@millrace/runtime';
import type { TestResult, TestSuite } from '@millrace/testing';
import { readTestFile, recordTest, runTests, writeFiles } from '@millrace/testing';
import { expect, it } from 'vitest';
import { directoryOfTest, openBeforeAll } from '../support/fixtures.ts';
import { journalOf } from '../support/runs/audit.ts';
import { exampleNames, readExample } from '../support/runs/examples.ts';
import { openReplayStage } from '../support/runs/replay-stage.ts';

/*
 * Each prompt of the examples is changed once, and each condition is reversed as far as the recorded run went: the test that was recorded
 * of the example must turn red and name a node.
 */

const replays = openBeforeAll(openReplayStage);

const people: Readonly<Record<string, readonly string[]>> = {
  'context-reset': ['normal', 'kept', 'soft', 'hard'],
  'loop-timer-modes': ['first', 'second', 'STOP'],
  'timed-review-loop': ['Shorter', 'ACCEPT'],
};

/** The parts of a graph that are broken, in graphs of subgraphs as well. */
interface Graph {
  readonly nodes: readonly {
    readonly id: string;
    readonly type: string;
    readonly config: { role?: unknown; description?: unknown };
    readonly graph?: Graph;
  }[];
  readonly edges: readonly { readonly from: string; readonly to: string; condition?: unknown }[];
}

/** A mutation of a workflow, with its description. */
interface Mutation {
  readonly what: string;
  readonly workflow: Workflow;
}

/** Conditions that change nothing in the recorded runs, whatever they say. */
const idle: Readonly<Record<string, readonly string[]>> = {
  // The run stops with the message.
  handoff: ['the condition of /Refunds /Front Desk'],
  // The timers wake the operator as well, and the edge to the summary ends the loop.
  'loop-timer-modes': ['the condition of /Operator /Operator'],
};

/** What happened in a recorded run, by the paths of nodes: those that have put something out, and the edges that passed it on. */
interface Happened {
  readonly spoke: ReadonlySet<string>;
  readonly passed: ReadonlySet<string>;
}

function happenedIn(workflow: Workflow, journal: readonly JournalEntry[]): Happened {
  const plan = compile(workflow, replays.stage.vocabulary);
  const projection = beginRunProjection();
  const spoke = new Set<string>();
  for (const entry of journal) {
    const { event } = entry;
    const done = event.type === 'activation.completed' && event.outputs.length > 0 ? event.activation : '';
    const live = projection.live.get(done);
    if (live !== undefined) spoke.add(`${live.graph}/${plan.graphs.get(live.graph)?.nodes[live.node]?.id}`);
    project(projection, entry);
  }
  const passed = new Set<string>();
  for (const [key, { nodes, edges }] of plan.graphs) {
    const shown = projection.graphs.get(key);
    const name = (index: number) => `${key}/${nodes[index]?.id}`;
    for (const [edge] of [...(shown?.passed ?? [])].filter(([, count]) => count > 0)) {
      const { from = -1, to = -1 } = edges[edge] ?? {};
      passed.add(`${name(from)} ${name(to)}`);
    }
  }
  return { spoke, passed };
}

const never = {
  type: 'keyword',
  config: { any: ['no text has these words'], all: [], none: [], regex: [], case_sensitive: true },
};

/** Returns a workflow with each prompt, and each condition, broken once. */
function mutationsOf(workflow: Workflow, happened: Happened): readonly Mutation[] {
  const graphOf = ({ graph }: Workflow) => graph as unknown as Graph; // as far as it is broken here
  return placesIn(graphOf(workflow), '').flatMap(({ path, part }, at): Mutation[] => {
    const [source = ''] = path.split(' ');
    if (!happened.spoke.has(source)) return [];
    const broken = structuredClone(workflow);
    const copy = placesIn(graphOf(broken), '')[at]?.part ?? part;
    if ('config' in copy) copy.config[promptOf(copy)] = `${String(copy.config[promptOf(copy)])} Be brief.`;
    else if (happened.passed.has(path)) copy.condition = never;
    else copy.condition = null;
    return [{ what: `the ${'config' in copy ? 'prompt' : 'condition'} of ${path}`, workflow: broken }];
  });
}

/** Fields with what a model, or a person, is asked, by the types of nodes. */
const prompts: Readonly<Record<string, 'role' | 'description'>> = {
  agent: 'role',
  controller: 'role',
  human: 'description',
};

const promptOf = ({ type }: Graph['nodes'][number]) => prompts[type] ?? 'role';

function placesIn(
  { nodes, edges }: Graph,
  key: string,
): readonly { path: string; part: Graph['nodes'][number] | Graph['edges'][number] }[] {
  return [
    ...nodes.flatMap((part) => [
      ...(part.type in prompts && typeof part.config[promptOf(part)] === 'string'
        ? [{ path: `${key}/${part.id}`, part }]
        : []),
      ...(part.graph === undefined ? [] : placesIn(part.graph, key === '' ? part.id : `${key}/${part.id}`)),
    ]),
    ...edges.flatMap((part) => {
      const { type } = (part.condition ?? {}) as { readonly type?: string }; // of an edge that was read
      const isBroken = part.condition !== undefined && part.condition !== null && type !== 'error';
      return isBroken ? [{ path: `${key}/${part.from} ${key}/${part.to}`, part }] : [];
    }),
  ];
}

/** Records a run of an example, and returns what runs the test under another workflow. */
async function recorded(example: string, folder: string) {
  const { stage } = replays;
  const { vocabulary } = stage;
  const { script: _answers, ...workflow } = readExample(example, vocabulary).workflow;
  const { run } = await replays.runExample(example, people[example]);
  const pieces: Uint8Array[] = [];
  for await (const piece of (await createTenantRuntime(stage.runtime, 'default').run(run).archive()).pieces)
    pieces.push(piece);
  const { files, mismatches } = await recordTest({
    archive: Buffer.concat(pieces).toString(),
    name: example,
    mask: undefined,
    vocabulary,
    workflow: `${example}.yaml`,
    readWorkflow: async () => ({ workflow, yaml: '' }),
    readContent: (digest) => stage.runtime.blobs.get(digest),
  });
  expect(mismatches).toEqual([]);
  await writeFiles(folder, files);
  await writeFile(join(folder, `${example}.yaml`), '');
  const file = join(folder, `${example}.test.yaml`);
  const tests = readTestFile({ file, text: String(files.get(`${example}.test.yaml`)) }, []);
  if (tests === undefined) throw new Error(`${file} was recorded with errors`);
  return {
    workflow,
    happened: happenedIn(workflow, await journalOf(stage.runtime.store, run)),
    async under(tested: Workflow): Promise<TestResult> {
      const none = () => Promise.reject(new Error('a recorded test reads no files'));
      const site: TestSuite['site'] = () => ({
        file,
        vocabulary,
        tested: { workflow: tested, yaml: '' },
        readFile: none,
        readScript: none,
      });
      const options = { bail: false, concurrency: 1, onResult: () => undefined, signal: new AbortController().signal };
      const [result] = await runTests([{ tests, site }], options);
      if (result === undefined) throw new Error('there is one test');
      return result;
    },
  };
}

it.each(exampleNames())(
  'the recorded test of %s names a node for each prompt and condition that is broken',
  async (example) => {
    const { workflow, happened, under } = await recorded(example, directoryOfTest());
    expect(await under(workflow)).toMatchObject({ status: 'passed' });

    const survivors: string[] = [];
    for (const { what, workflow: broken } of mutationsOf(workflow, happened)) {
      const { status, failures } = await under(broken);
      const isNamed = failures.some(
        ({ path, expected }) => path.includes('nodes') || path.includes('never') || /"[^"]+"/.test(expected),
      );
      if (status !== 'failed' || !isNamed) survivors.push(what);
    }
    expect(survivors).toEqual(idle[example] ?? []);
  },
);
