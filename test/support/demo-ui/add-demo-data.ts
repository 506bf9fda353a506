import type { Millrace, RunHandle } from '@millrace/client';
import { invoice, letters, newsroom, onboarding, refund, survey } from './workflows.ts';

/** Runs of the demo by what they show. */
export interface DemoRuns {
  /** It has a loop, and waits for its editor. */
  readonly waiting: string;
  /** The same, completed. */
  readonly completed: string;
  /** A map over many units. */
  readonly map: string;
  readonly subgraph: string;
  readonly failed: string;
  /** It waits for the approval of a call. */
  readonly approval: string;
}

const runs = {
  waiting: 'run_demo_waiting',
  completed: 'run_demo_completed',
  map: 'run_demo_map',
  subgraph: 'run_demo_subgraph',
  failed: 'run_demo_failed',
  approval: 'run_demo_approval',
} as const satisfies DemoRuns;

/** Fills an installation with what the dashboard can show, and waits until nothing of it changes any more. */
export async function addDemoData(millrace: Millrace, units = 200): Promise<DemoRuns> {
  const texts = { newsroom, survey, onboarding, invoice, letters, refund };
  for (const [name, yaml] of Object.entries(texts)) await millrace.workflows.publish(name, yaml);
  const batch = await millrace.batches.start('letters', {
    id: 'reminders',
    rows: Array.from({ length: 12 }, (_, at) => ({ input: `Letter to reader ${at + 1}` })),
  });
  while ((await millrace.batches.get(batch.id)).finishedAt === undefined) await sleep();
  const answers = Array.from({ length: units }, (_, at) => `Answer ${at + 1}: I like Sundays.`);
  await run(millrace, runs.failed, { workflow: 'invoice', input: 'Invoice 2026-117 of the bindery', tags: ['books'] });
  await run(millrace, runs.map, { workflow: 'survey', input: answers.join('\n'), tags: ['survey'] });
  await run(millrace, runs.subgraph, { workflow: 'onboarding', input: 'Ann starts on Monday', tags: ['people'] });
  const accepted = await run(millrace, runs.completed, {
    workflow: 'newsroom',
    input: 'The summer festival',
    tags: ['news'],
  });
  for (const { id } of (await accepted.describe()).tasks)
    await millrace.tasks.answer(id, { text: 'ACCEPT', assignee: 'Ann' });
  while ((await accepted.describe()).finishedAt === undefined) await sleep();
  await run(millrace, runs.waiting, {
    workflow: 'newsroom',
    input: 'Announce that the library opens on Sundays',
    tags: ['news', 'library'],
  });
  await run(millrace, runs.approval, {
    workflow: 'refund',
    input: 'The lamp of order 1001 is broken.',
    tags: ['shop'],
  });
  await millrace.schedules.create({
    id: 'morning-news',
    cron: '0 7 * * 1-5',
    timezone: 'Europe/Berlin',
    run: { workflow: 'newsroom', input: 'The news of the day' },
  });
  return runs;
}

interface DemoRun {
  readonly workflow: string;
  readonly input: string;
  readonly tags: readonly string[];
}

/** Starts a run, and waits until it has ended or asks. */
async function run(millrace: Millrace, runId: string, { workflow, input, tags }: DemoRun): Promise<RunHandle> {
  const started = await millrace.runs.start(workflow, { runId, input, tags: [...tags] });
  while ((await started.describe()).status === 'running') await sleep();
  return started;
}

const sleep = () => new Promise((resolve) => setTimeout(resolve, 100));
