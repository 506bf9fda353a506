import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useDashboard } from '../../../support/browser/dashboard.ts';

const dashboard = useDashboard();

const agent = (id: string, text: string, delayMs = 0): string =>
  `{ id: ${id}, type: agent, config: { provider: scripted, name: m, params: { default: { text: "${text}", delay_ms: ${delayMs} } } } }`;

/** A writer whom a person sends back to work, three times at most. */
const loop = `
graph:
  id: review_loop
  start: [Writer]
  end: [Final]
  nodes:
    - ${agent('Writer', 'Sundays belong to readers.')}
    - { id: Reviewer, type: human, config: { description: Is it good? } }
    - { id: Guard, type: loop_counter, config: { max_iterations: 3 } }
    - { id: Final, type: passthrough, config: {} }
  edges:
    - { from: Writer, to: Reviewer }
    - { from: Reviewer, to: Final, condition: { type: keyword, config: { any: [ACCEPT] } } }
    - { from: Reviewer, to: Writer, condition: { type: keyword, config: { none: [ACCEPT] } } }
    - { from: Reviewer, to: Guard, condition: { type: keyword, config: { none: [ACCEPT] } } }
    - { from: Guard, to: Writer }
    - { from: Guard, to: Final }
`;

const fanOut = `
graph:
  id: fan_out
  start: [Lines]
  nodes:
    - { id: Lines, type: passthrough, config: {} }
    - ${agent('Work', 'done')}
    - { id: Reader, type: human, config: { description: Is it good? } }
  edges:
    - { from: Lines, to: Work, dynamic: { type: map, config: { split_type: lines } } }
    - { from: Work, to: Reader }
`;

const nested = `
graph:
  id: nested
  start: [Text]
  nodes:
    - { id: Text, type: passthrough, config: {} }
    - id: Translate
      type: subgraph
      config:
        type: config
        config:
          id: inner
          nodes:
            - { id: Draft, type: passthrough, config: {} }
            - { id: Check, type: human, config: { description: Is it right? } }
          edges: [{ from: Draft, to: Check }]
  edges: [{ from: Text, to: Translate }]
`;

const node = (id: string, state = ''): Locator =>
  dashboard.page.locator(`[data-node="${id}"]${state === '' ? '' : `[data-state="${state}"]`}`);
const search = () => new URL(dashboard.page.url()).searchParams;
const open = (run: string, more = '') => dashboard.page.goto(dashboard.url(`/ui/runs/${run}/graph${more}`));

/** Answers the question that a run asks next, once it asks it. */
async function answer(run: string, text: string): Promise<void> {
  await expect.poll(async () => (await dashboard.api.runtime.runs.describe(run))?.tasks?.length ?? 0).toBe(1);
  const [task] = await dashboard.api.runtime.runs.tasks(run);
  const response = await fetch(dashboard.url(`/v1/tasks/${run}.${task?.activation}/answer`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  });
  expect(response.status).toBeLessThan(300);
}

/** Starts the loop, and lets it reach its second iteration. */
async function startSecondIteration(): Promise<string> {
  const run = await dashboard.start(loop);
  await answer(run, 'shorter');
  return run;
}

describe('the graph of a loop', () => {
  it('shows iterations, counters, conditions in words and passed edges, live and after a reload', async () => {
    const { page } = dashboard;
    const run = await startSecondIteration();
    await open(run);

    await page.getByRole('button', { name: 'Reviewer, human, waiting, 1 run, in loop iteration 2' }).waitFor();
    await node('Guard').getByText('1 of 3').waitFor();
    await page.getByText('loop · iteration 2').waitFor();
    await page.getByText('without "ACCEPT" · 1×').first().waitFor();
    await page.getByText('– contains "ACCEPT"').waitFor();
    await answer(run, 'longer');

    await node('Guard').getByText('2 of 3').waitFor();
    await page.reload();
    await page.getByText('loop · iteration 3').waitFor();
    await node('Reviewer', 'waiting')
      .getByText(/asked .* ago/)
      .waitFor();
  });

  it('shows one iteration, and dims the rest, until all are selected', async () => {
    const { page } = dashboard;
    const run = await startSecondIteration();
    await open(run);

    await page.getByRole('button', { name: 'Iteration before' }).click();
    await page.getByText('iteration 2', { exact: true }).waitFor();
    await page.locator('[data-node="Guard"][data-dimmed="true"]').waitFor();
    expect([search().get('loop'), search().get('iteration')]).toEqual(['Writer', '2']);

    await page.getByRole('button', { name: 'Iteration before' }).click();
    await page.locator('[data-node="Guard"][data-dimmed="false"]').waitFor();
    await page.getByRole('button', { name: 'All iterations' }).click();
    await page.locator('[data-node="Final"][data-dimmed="false"]').waitFor();
    expect(search().get('iteration')).toBeNull();
  });

  it('shows ages as of the event of the slider', async () => {
    const run = await startSecondIteration();
    const asked = await fetch(dashboard.url(`/v1/runs/${run}/events?type=activation.suspended&order=oldest&limit=1`), {
      headers: { accept: 'application/json' },
    });
    const { data } = (await asked.json()) as { readonly data: readonly { readonly id: string }[] };
    await open(run, `?at=${data[0]?.id}`);

    await node('Reviewer', 'waiting').getByText('asked 0 ms ago').waitFor();
  });

  it('scrolls to the panel of a node that is chosen on a phone', async () => {
    const { page } = dashboard;
    const run = await dashboard.start(loop);
    await page.setViewportSize({ width: 390, height: 844 });
    await open(run);
    await node('Reviewer', 'waiting').click();

    const heading = page.getByRole('complementary').getByRole('heading', { name: 'Reviewer' });
    await expect.poll(async () => (await heading.boundingBox())?.y ?? 844).toBeLessThan(844 - 56);
  });

  it('answers the question beside the graph', async () => {
    const { page } = dashboard;
    const run = await dashboard.start(loop);
    await open(run);

    const question = page.getByRole('article').filter({ hasText: 'Is it good?' });
    await question.getByRole('textbox').fill('ACCEPT');
    await question.getByRole('button', { name: 'Answer' }).click();

    await node('Final', 'done').waitFor();
    await page.getByLabel('Facts').getByText('completed').waitFor();
  });
});

describe('the keyboard in a graph', () => {
  it('enters once, follows edges, opens a node and walks through its activations', async () => {
    const { page } = dashboard;
    const run = await startSecondIteration();
    await open(run);
    const focused = page.locator('[data-place]:focus');
    await page.locator('[data-place][tabindex="0"]').focus();

    expect(await page.locator('[data-place][tabindex="0"]').count()).toBe(1);
    expect(await focused.getAttribute('aria-label')).toContain('Reviewer');
    await page.keyboard.press('ArrowLeft');
    expect(await focused.getAttribute('aria-label')).toContain('Writer');
    await page.keyboard.press('Enter');

    const panel = page.getByRole('complementary', { name: 'Node Writer' });
    await panel.getByText('2 of 2').waitFor();
    await page.keyboard.press('p');
    await panel.getByText('1 of 2').waitFor();
    expect(search().get('a')).toBe('a1');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await page.keyboard.press('t');
    await page.getByRole('treegrid').waitFor();
  });

  it('goes through the journal by event and to its ends', async () => {
    const { page } = dashboard;
    const run = await dashboard.start(loop);
    await open(run);
    await node('Reviewer', 'waiting').waitFor();
    // Its keys work from the moment at which it is there.
    await page.getByRole('slider', { name: 'Event of the journal' }).waitFor();

    await page.keyboard.press('[');
    await page.getByText(/as of .*, not live/).waitFor();
    await page.keyboard.press('{');
    await page.getByRole('slider', { name: 'Event of the journal' }).and(page.locator('[value="1"]')).waitFor();
    await node('Writer', 'idle').waitFor();
    await page.keyboard.press('}');
    await node('Reviewer', 'waiting').waitFor();

    expect(search().get('at')).toBeNull();
  });
});

describe('a fan-out', () => {
  it('shows its units as numbers, and lists them page by page', async () => {
    const { page } = dashboard;
    const run = await dashboard.start(fanOut, {
      input: Array.from({ length: 60 }, (_, at) => `line ${at}`).join('\n'),
    });
    await open(run);
    await node('Work').getByText('60 of 60').waitFor();

    await page.getByRole('button', { name: /^Work, agent, done/ }).click();

    const units = page.getByRole('complementary', { name: 'Node Work' }).getByRole('region', { name: 'Units' });
    await units.getByText('1–50 of 60').waitFor();
    await units.getByRole('button', { name: 'Next' }).click();
    await units.getByText('51–60 of 60').waitFor();
    await units.getByRole('button', { name: /unit 60/ }).click();
    await page.getByText('· unit 60').waitFor();
  });
});

describe('a subgraph', () => {
  it('is opened in place, entered with a way back, and unfolded in the table', async () => {
    const { page } = dashboard;
    const run = await dashboard.start(nested);
    await open(run);
    await node('Translate', 'waiting').waitFor();

    await page.getByRole('button', { name: 'Show the graph inside Translate here' }).click();
    await node('Check', 'waiting').waitFor();
    expect(search().get('open')).toBe('["Translate"]');
    // A click is no movement of the picture.
    expect(await page.getByRole('button', { name: 'Follow' }).getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'Open the graph inside Translate' }).click();

    await node('Text').waitFor({ state: 'detached' });
    await node('Check', 'waiting').waitFor();
    await page.getByRole('navigation', { name: 'Graphs' }).getByRole('button', { name: 'nested' }).click();
    await node('Text').waitFor();
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('button', { name: 'Unfold Translate' }).click();
    await page.getByRole('row').filter({ hasText: 'Check' }).and(page.locator('[aria-level="2"]')).waitFor();
  });
});

describe('text of a run', () => {
  const hostile = `<img src=x onerror="document.body.dataset.owned=1">`;

  it('is shown as text in names of nodes, questions and answers', async () => {
    const { page } = dashboard;
    const id = JSON.stringify(`Reviewer ${hostile}`);
    const run = await dashboard.start(
      `graph: { id: q, nodes: [{ id: ${id}, type: human, config: { description: ${JSON.stringify(hostile)} } }] }`,
      { input: hostile },
    );
    await open(run);

    await page.getByRole('button', { name: /^Reviewer <img/ }).click();
    await page.getByRole('complementary', { name: `Node Reviewer` }).getByText(hostile).first().waitFor();

    expect(await page.locator('body[data-owned]').count()).toBe(0);
  });

  it('streams into the node and the panel while an agent is executing', async () => {
    const { page } = dashboard;
    const reply = { chunks: Array.from({ length: 40 }, (_, at) => `word${at} `), delay_ms: 100 };
    const config = { provider: 'scripted', name: 'm', params: { default: reply } };
    const nodes = [{ id: 'Speaker', type: 'agent', config }];
    const run = await dashboard.start(JSON.stringify({ graph: { id: 'talk', nodes } }));
    await open(run, '?n=Speaker');
    await node('Speaker', 'working').waitFor();

    await page.getByRole('region', { name: 'Live' }).getByText('word1').waitFor();
    await node('Speaker')
      .getByText(/word\d/)
      .waitFor();

    await node('Speaker', 'done').waitFor();
    await page.getByRole('region', { name: 'Live' }).waitFor({ state: 'detached' });
  });
});

it('explains that a run is cancelled before it happens, and cancels it when that is confirmed', async () => {
  const { page } = dashboard;
  const run = await dashboard.start(loop, { input: 'A text about cats' });
  await open(run);
  await node('Reviewer', 'waiting').waitFor();
  await page.keyboard.press('c');
  const dialog = page.getByRole('dialog', { name: 'Cancel “A text about cats”?' });
  await dialog.getByText('one question is withdrawn').waitFor();
  await dialog.getByRole('button', { name: 'Leave it as it is' }).click();
  expect(await dashboard.api.runtime.runs.describe(run)).toMatchObject({ status: 'waiting' });
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Cancel The run ends' }).click();
  await dialog.getByRole('button', { name: 'Cancel the run' }).click();

  await page.getByLabel('Facts').getByText('cancelled', { exact: true }).waitFor();
});
