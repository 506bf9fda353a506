import { createVocabulary } from '@millrace/catalog';
import type { Dynamic, Edge, JournalEntry, Node, Vocabulary, Workflow } from '@millrace/core';
import { compile, NodeError, plainEdge, textMessage } from '@millrace/core';
import { createLocalRates, createMemoryBlobs, createMemoryStore, createRuns } from '@millrace/runtime';
import { startWorker } from '@millrace/worker';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { usuallyOr } from '../support/exhaustive.ts';
import { createShufflingQueue } from '../support/faults/shuffling-queue.ts';
import { collectTrace } from '../support/reference/collect-trace.ts';
import { acyclicWorkflows, cyclicWorkflows } from '../support/reference/graphs.ts';
import { runReference } from '../support/reference/reference.ts';
import { essenceOf } from '../support/reference/same-trace.ts';
import type { Trace } from '../support/reference/trace.ts';
import { entriesOf } from '../support/runs/watching.ts';

const task = [textMessage('user', 'word0 of the task', 'TASK'), textMessage('user', 'word1 of the task', 'TASK')];

/** Runs that do more than this are not worth their time. */
const tooMuch = { activations: 200, inputs: 60 };

/** A vocabulary whose nodes refuse to work when a run has grown beyond all measure. */
function measured(vocabulary: Vocabulary): { vocabulary: Vocabulary; isExceeded: () => boolean } {
  let activations = 0;
  let exceeded = false;
  const nodes = [...vocabulary.nodes].map(([type, definition]) => {
    const execute: typeof definition.execute = (config, input, host) => {
      activations += 1;
      exceeded ||= activations > tooMuch.activations || input.length > tooMuch.inputs;
      if (exceeded) throw new NodeError('TOO_MUCH', 'The run has grown beyond all measure.');
      return definition.execute(config, input, host);
    };
    return [type, { ...definition, execute }] as const;
  });
  return { vocabulary: { ...vocabulary, nodes: new Map(nodes) }, isExceeded: () => exceeded };
}

/** Runs a workflow on the real engine, in an order of work that follows from the seed. */
async function runShuffled(workflow: Workflow, vocabulary: Vocabulary, seed: number): Promise<Trace> {
  let state = seed;
  const choose = (below: number) => {
    // A linear congruential generator: all that is needed is another order for another seed.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const errors: unknown[] = [];
  const store = createMemoryStore();
  const queue = createShufflingQueue(choose, (error) => errors.push(error));
  const runs = createRuns({
    rates: createLocalRates(store.now),
    store,
    blobs: createMemoryBlobs(),
    queue,
    vocabulary,
    report: (_, error) => errors.push(error),
  });
  const log = pino({ level: 'silent' });
  startWorker({ runtime: { runs, queue }, vocabulary, concurrency: 3, name: 'shuffled', log, secret: () => undefined });
  const run = await runs.start({ workflow, input: task });
  const journal: JournalEntry[] = [];
  for await (const entry of entriesOf(runs, run)) journal.push(entry);
  await queue.close();
  expect(errors).toEqual([]);
  expect(journal.at(-1)?.event.type).toBe('run.finished');
  const { trace } = await collectTrace(compile(workflow, vocabulary), journal, (ids) => runs.bodies(run, ids));
  return { ...trace, calls: [] };
}

async function agree(workflow: Workflow, seed: number): Promise<void> {
  const { vocabulary, isExceeded } = measured(createVocabulary());
  const expected = await runReference(workflow, task, { vocabulary });
  fc.pre(!isExceeded());
  const got = await runShuffled(workflow, createVocabulary(), seed);
  expect(essenceOf(got)).toEqual(essenceOf(expected));
}

const seeds = fc.integer({ min: 0, max: 2 ** 31 });

describe('the engine, in every order of execution', () => {
  it('equals the reference interpreter on graphs without cycles', async () => {
    await fc.assert(fc.asyncProperty(acyclicWorkflows(createVocabulary()), seeds, agree), {
      numRuns: usuallyOr(70, 400),
    });
  });

  it('equals the reference interpreter on graphs with cycles', async () => {
    await fc.assert(fc.asyncProperty(cyclicWorkflows(createVocabulary()), seeds, agree), {
      numRuns: usuallyOr(100, 600),
    });
  });

  // Found by the properties above; rare enough to be asked for by name.
  it('orders the outputs of a cycle by its members, whichever is faster', async () => {
    const workflow = workflowOf(['Start', 'Left', 'Right', 'Out'], {
      Start: { Left: {}, Right: {} },
      Left: { Out: {}, Start: {} },
      Right: { Out: { clearContext: true }, Start: {} },
    });
    for (let seed = 0; seed < 20; seed++) await agree(workflow, seed);
  });

  it('keeps the output of a node after the deliveries of its edges, also from a fan-out', async () => {
    const workflow = workflowOf(['Start', 'Each'], {
      Start: { Each: { dynamic: map } },
      Each: { Each: { trigger: false } },
    });
    await agree({ ...workflow, graph: { ...workflow.graph, nodes: workflow.graph.nodes.map(remembering) } }, 1);
  });
});

const map: Dynamic = { type: 'map', split: { type: 'message', config: {} }, maxParallel: 2, groupSize: 2 };

const remembering = (node: Node): Node => ({ ...node, contextWindow: -1 });

/** A workflow of passthroughs that starts with the first of them; edges by source and target. */
function workflowOf(ids: readonly string[], links: Record<string, Record<string, Partial<Edge>>>): Workflow {
  const only = { logOutput: true, input: [], output: [], contextWindow: 0, type: 'passthrough' };
  const nodes = ids.map((id, at): Node => ({ ...only, id, config: { only_last_message: at > 0 } }));
  const edges = Object.entries(links).flatMap(([from, targets]) =>
    Object.entries(targets).map(([to, edge]): Edge => ({ from, to, ...plainEdge, ...edge })),
  );
  const start = ids.slice(0, 1);
  const graph = {
    id: 'found',
    logLevel: 'ERROR' as const,
    voting: false,
    start,
    end: [],
    maxIterations: 3,
    memory: [],
  };
  return { version: '0.0.0', graph: { ...graph, nodes, edges } };
}
