import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import type { RunId } from '@millrace/core';
import type { Fleet } from '../../support/runs/fleet.ts';
import { workflowIn } from '../../support/runs/stage.ts';

/** Condition that ends the process of its worker. */
const extension = `
export const extensions = {
  conditions: new Map([['ends_the_worker', () => process.kill(process.pid, 'SIGKILL')]]),
};
`;

const vocabulary = createVocabulary({ conditions: new Map([['ends_the_worker', () => true]]) });

const edge = (more: string) => `graph:
  id: hostile
  nodes:
    - { id: Source, type: passthrough, config: {} }
    - { id: Target, type: passthrough, config: {} }
  edges: [{ from: Source, to: Target, ${more} }]
`;
const template = (text: string) => edge(`processor: { type: template, config: { template: ${JSON.stringify(text)} } }`);

const poison = workflowIn(edge('condition: { type: function, config: { name: ends_the_worker } }'), vocabulary);
/** Templates that need too much memory, time and depth, the last one because of the text. */
const traps = [
  { text: '{% set n = 4200000000 %}{{ ("x" * n) | length }}', input: 'go' },
  { text: '{% set s = "x" * 50000000 %}{% for i in range(600) %}{% set y = s | upper %}{% endfor %}', input: 'go' },
  { text: '{{ a | length }}', input: `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}` },
].map(({ text, input }) => ({ workflow: workflowIn(template(text), vocabulary), input }));
const honest = workflowIn(template('{{ content | upper }}'), vocabulary);

interface Expected {
  readonly run: RunId;
  /** Code of the error with which it fails, or the output with which it completes. */
  readonly end: string;
}

/** Runs that harm their workers, and what must come of them. */
export interface HostileRuns {
  /** Variables of all processes that take part. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts a run that ends its workers. */
  startPoison(): Promise<void>;
  /** Starts a run whose template cannot be rendered, and one beside it whose template can. */
  startTrap(): Promise<void>;
  /** Waits until all of them have ended, removes them, and returns what is wrong, in words. */
  judge(): Promise<readonly string[]>;
  close(): void;
}

const endsWithinMs = 120_000;

/** Prepares such runs for the workers of a fleet. */
export function openHostileRuns({ runtime }: Pick<Fleet, 'runtime'>): HostileRuns {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-hostile-'));
  const module = join(folder, 'extensions.mjs');
  writeFileSync(module, extension);
  const started: Expected[] = [];
  let trapped = 0;
  const start = async (workflow: typeof poison, end: string, input = 'go'): Promise<void> => {
    started.push({ run: await runtime.runs.start({ workflow, input }), end });
  };
  /** Waits for the end by looking: Redis may go away and come back meanwhile. */
  const endOf = async (run: RunId): Promise<string> => {
    for (const giveUp = Date.now() + endsWithinMs; ; await sleep(200)) {
      const found = await runtime.runs.describe(run);
      if (found?.finishedAt !== undefined) return found.error?.code ?? String(found.output?.content);
      if (Date.now() > giveUp) return `${found?.status} after ${endsWithinMs} ms`;
    }
  };
  return {
    env: { MILLRACE_EXTENSIONS: module },
    startPoison: () => start(poison, 'WORKER_DIED'),
    async startTrap() {
      const trap = traps[trapped++ % traps.length];
      if (trap !== undefined) await start(trap.workflow, 'TEMPLATE_LIMIT', trap.input);
      await start(honest, 'GO');
    },
    async judge() {
      const ends = await Promise.all(started.map(async ({ run, end }) => ({ run, end, found: await endOf(run) })));
      for (const { run } of ends) await runtime.runs.remove(run);
      return ends
        .filter(({ end, found }) => found !== end)
        .map(({ run, end, found }) => `${run} was to end with ${end} and ended with ${found}`);
    },
    close: () => rmSync(folder, { recursive: true }),
  };
}
