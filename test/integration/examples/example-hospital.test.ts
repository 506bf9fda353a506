import { rootScope, textOf } from '@millrace/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { inOrder, readExample } from '../../support/runs/examples.ts';
import type { Answer, EndedRun } from '../../support/runs/stage.ts';
import { openStage } from '../../support/runs/stage.ts';

describe('simulation-hospital', () => {
  const stage = openBeforeAll(() => openStage({ where: { local: true } }));
  let finished: EndedRun;
  const remembered: number[] = [];
  let nodes: readonly string[] = [];

  beforeAll(async () => {
    const { workflow, answers } = readExample('simulation-hospital', stage.vocabulary);
    const next = inOrder(answers);
    nodes = workflow.graph.nodes.map(({ id }) => id);
    const looking: Answer = async (question) => {
      const state = (await stage.runtime.runs.refresh(question.run))?.state;
      remembered.push(state?.list(`recent/${rootScope}/environment`).length ?? 0);
      return next(question);
    };
    finished = await stage.run(workflow, 'A small hospital by the sea', looking);
  });

  const texts = async (node: string) => (await finished.executions(node)).map((outputs) => outputs.map(textOf).join());

  /** Returns the results of the recall steps in a node's executions, in order, as JSON. */
  async function recollections(node: string): Promise<string[]> {
    const state = finished.journal.flatMap(({ event }) => (event.type === 'activation.ready' ? [event] : []));
    const of = state.filter(({ node: at }) => nodes[at] === node).map(({ activation }) => activation);
    const steps = finished.journal.flatMap(({ event }) =>
      'step' in event && of.includes(event.activation) ? [event] : [],
    );
    const recalls = steps.flatMap((event) =>
      event.type === 'step.started' && event.name.startsWith('recall') ? [event] : [],
    );
    const results = recalls.flatMap(({ activation, step }) =>
      steps.flatMap((event) =>
        event.type === 'step.completed' && event.activation === activation && event.step === step ? [event.result] : [],
      ),
    );
    const bodies = await stage.runtime.runs.bodies(finished.description.run, results);
    return bodies.map(({ content }) => JSON.stringify(content));
  }

  it('treats five patients in each of two rounds, side by side', async () => {
    const units = finished.journal.filter(({ event }) => event.type === 'activation.ready' && event.part === 'unit');
    const commits = units.map(({ id }) => id.split('-')[0]);

    expect(await texts('NurseIntake')).toHaveLength(10);
    expect(await texts('Doctor')).toHaveLength(10);
    // Those that one commit makes due are worked on at the same time.
    const together = [...new Set(commits)].map((commit) => commits.filter((one) => one === commit).length);
    expect(together).toEqual([5, 5, 5, 5]);
  });

  it('passes nurse and doctor the patient of their unit', async () => {
    const notes = await texts('NurseIntake');

    expect(notes.slice(0, 5).sort()[0]).toContain('"name":"Ada Brandt"');
    expect((await texts('Doctor')).filter((text) => text.startsWith('A heart attack'))).toHaveLength(1);
  });

  it('sums up each round once', async () => {
    expect(await texts('WardRound')).toEqual([
      'Five patients on a quiet morning, all stable.',
      'Five patients in the storm, one heart attack, all stable.',
    ]);
  });

  it('begins each round without messages of the one before', async () => {
    expect(remembered).toEqual([2, 2]);
    expect(await texts('environment')).toEqual([
      expect.stringContaining('Morning'),
      expect.stringContaining('The storm has closed the bridge'),
    ]);
  });

  it('remembers past patients, so that none comes twice', async () => {
    const [first = '', second = ''] = await texts('PatientGenerator');

    expect(first).toContain('Ada Brandt');
    expect(second).toContain('Jana Kral');
    expect(second).not.toContain('Ada Brandt');
    const recalled = await recollections('PatientGenerator');
    expect(recalled).toEqual([expect.not.stringContaining('Related'), expect.stringContaining('Emil Vogt')]);
    expect(recalled[1]).toContain('--- patient_memory ---');
  });

  it('remembers the scenario, although the round begins without a context', async () => {
    expect(await recollections('environment')).toEqual([
      expect.not.stringContaining('Related'),
      expect.stringContaining('Morning at a small hospital'),
    ]);
    expect((await texts('environment'))[1]).toContain('two doctors and three nurses are on duty still');
  });

  it('ends on request', () => {
    expect(finished.description.status).toBe('completed');
    expect(finished.description.output?.content).toBe('Simulation complete.');
  });
});
