import { describe, expect, it } from 'vitest';
import { useDashboard } from '../../../support/browser/dashboard.ts';
import { longestTaskMs } from '../../../support/browser/task-duration.ts';

const dashboard = useDashboard();

/** A program that writes a file, as a node that says it and one that runs it. */
const program = (name: string, source: string) =>
  `    - { id: say ${name}, type: literal, config: { content: ${JSON.stringify(source)} } }
    - { id: ${name}, type: python, config: {} }
`;
const chain = (ids: readonly string[]) =>
  ids
    .slice(1)
    .map((id, at) => `{ from: ${ids[at]}, to: ${id} }`)
    .join(', ');
const writes = `
graph:
  id: writes
  nodes:
${program('First', "import os\nos.makedirs('notes')\nopen('notes/plan.md', 'w').write('# Plan\\n\\nfirst words')\nopen('picture.svg', 'w').write('<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"document.body.dataset.owned=1\"></svg>')")}
${program('Second', "open('notes/plan.md', 'w').write('# Plan\\n\\nsecond words')")}
  edges: [${chain(['say First', 'First', 'say Second', 'Second'])}]
`;
const talk = (words: string) => `
graph:
  id: talk
  budget: { tokens: 100000 }
  nodes:
    - id: Writer
      type: agent
      config: { provider: scripted, name: parrot, params: { default: ${words} } }
    - { id: Reviewer, type: human, config: { description: Is it good? } }
  edges: [{ from: Writer, to: Reviewer }]
`;

/** Opens a tab of a new run once the run is idle. */
async function open(yaml: string, tab: string, input = 'A text'): Promise<string> {
  const run = await dashboard.start(yaml, { input });
  await fetch(dashboard.url(`/v1/runs/${run}?wait=60s`));
  await dashboard.page.goto(dashboard.url(`/ui/runs/${run}/${tab}`));
  return run;
}

describe('the files of a run', () => {
  it('are a tree with previews, versions, and their writers', async () => {
    const { page } = dashboard;
    await open(writes, 'files');

    await page.getByRole('button', { name: /plan\.md/ }).click();

    const preview = page.getByRole('region', { name: 'File notes/plan.md' });
    await preview.getByText('second words').waitFor();
    await preview.getByRole('link', { name: /^Second a\d+/ }).waitFor();
    await preview.getByLabel('Version').selectOption({ label: '1 · First' });
    await preview.getByText('first words').waitFor();
    await preview.getByRole('link', { name: /^First a\d+/ }).waitFor();
  });

  it('show SVG as text, and never render it', async () => {
    const { page } = dashboard;
    await open(writes, 'files');

    await page.getByRole('button', { name: /picture\.svg/ }).click();

    await page.getByText('<svg xmlns=').waitFor();
    expect(await page.locator('body[data-owned], main svg[onload]').count()).toBe(0);
  });
});

describe('the bill of a run', () => {
  it('unfolds down to its calls, and can be shown at an event', async () => {
    const { page } = dashboard;
    const run = await open(talk('some words'), 'money');
    const bill = page.getByRole('region', { name: 'Bill' });

    await bill.getByRole('button', { name: 'Writer' }).click();

    await bill.getByText('chat parrot').waitFor();
    await page.getByText('To raise the budget, pause the run.').waitFor();
    await page.goto(dashboard.url(`/ui/runs/${run}/money?at=1-1`));
    await page.getByText('No node of this run has asked a model.').waitFor();
  });

  it('raises the budget of a run that is paused', async () => {
    const { page } = dashboard;
    const run = await open(talk('some words'), 'money');
    await fetch(dashboard.url(`/v1/runs/${run}/pause`), { method: 'POST' });

    await page.getByRole('spinbutton', { name: /New limit in tokens/ }).fill('200000');
    await page.getByRole('button', { name: 'Raise budget and resume' }).click();

    await page.getByText('To raise the budget, pause the run.').waitFor();
    expect(await dashboard.api.runtime.runs.describe(run)).toMatchObject({ budget: { limit: { tokens: 200_000 } } });
  });
});

describe('the text of a run', () => {
  it('marks the lines of a node, leads to it in the graph, and shows changes of the workflow since', async () => {
    const { page } = dashboard;
    const put = (yaml: string) => dashboard.send('PUT', '/v1/workflows/story', { yaml });
    await put(talk('before'));
    const { runId } = await dashboard.send('POST', '/v1/runs', { workflow: 'story', input: 'A text' });
    await put(talk('after'));
    await page.goto(dashboard.url(`/ui/runs/${runId}/yaml`));

    await page.getByRole('combobox', { name: /^Node/ }).selectOption('Reviewer');

    const link = page.getByRole('link', { name: 'Show Reviewer in the graph' });
    expect(await link.getAttribute('href')).toContain('n=Reviewer');
    await page.getByRole('button', { name: 'Changes since', exact: true }).click();
    await page.getByText('default: after').waitFor();
    expect(await page.locator('li').filter({ hasText: 'removed:' }).count()).toBe(1);
  });

  it('has only the lines near the window of a long workflow, and leads to each of its nodes', async () => {
    const { page } = dashboard;
    const nodes = Array.from(
      { length: 1_500 },
      (_, at) => `    - id: Node${at}\n      type: passthrough\n      config: {}\n`,
    );
    const run = await dashboard.start(
      `graph:\n  id: long\n  start: [Node0]\n  end: [Node0]\n  nodes:\n${nodes.join('')}`,
    );
    await page.goto(dashboard.url(`/ui/runs/${run}/yaml?n=Node1200`));
    const text = page.getByRole('region', { name: 'Text of the workflow' });

    const begin = text.locator('li', { hasText: /id: Node1200$/ });
    await expect.poll(() => begin.evaluate((line) => line.getBoundingClientRect().top)).toBeGreaterThan(0);
    expect(
      await begin.evaluate(
        (line) => line.getBoundingClientRect().bottom < line.ownerDocument.documentElement.clientHeight,
      ),
    ).toBe(true);
    expect(await begin.getAttribute('data-line')).toBe('3606');
    expect(await page.locator('*').count()).toBeLessThan(3_000);
    await text.locator('li[title="Node1203"]').first().click();
    await page.getByRole('link', { name: 'Show Node1203 in the graph' }).waitFor();
    await page.getByRole('combobox', { name: /^Node/ }).selectOption('Node3');
    await text.getByText('Node3', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('n')).toBe('Node3');
  });
});

describe('hostile text', () => {
  const script = 'document.body.dataset.owned=1';
  const canary = `<img src=https://evil.example/x onerror=${script}><script>${script}</script> [x](javascript:${script}) ![y](https://evil.example/y.png) \u202egnp.exe \u200b`;
  const yaml = `
# ${canary}
graph:
  id: canaries
  nodes:
    - { id: "<svg onload=${script}>", type: literal, config: { content: ${JSON.stringify(canary)} } }
${program('Files', `open("<img src=x onerror=${script}>.html", "w").write("<script>${script}</script>")`)}
${program('Fails', `raise Exception(${JSON.stringify(canary)})`)}
  edges: [{ from: "<svg onload=${script}>", to: say Files }, { from: say Files, to: Files }, { from: Files, to: say Fails }, { from: say Fails, to: Fails }]
`;

  /** Each tab, and a text that is there once it has loaded. */
  const tabs = [
    ['timeline', '<svg onload'],
    ['activations?a=a1', 'evil.example'],
    ['journal', 'evil.example'],
    ['files', 'onerror'],
    ['money', 'No node of this run has asked a model.'],
    ['yaml', 'evil.example'],
    ['conversation', 'evil.example'],
  ] as const;

  it('of tasks, nodes, files, errors and YAML is text on every tab', async () => {
    const { page } = dashboard;
    const run = await open(yaml, 'conversation', canary);
    await page.getByText('evil.example').first().waitFor();
    for (const [tab, text] of tabs) {
      await page.goto(dashboard.url(`/ui/runs/${run}/${tab}`));
      await page.locator('main').getByText(text).first().waitFor();
      if (tab === 'files') {
        await page.getByRole('button', { name: /onerror/ }).click();
        await page.getByRole('region', { name: /^File/ }).getByText('<script>').waitFor();
      }
      expect(await page.locator('body[data-owned], main img, a[href^="javascript"]').count(), tab).toBe(0);
    }
  });

  it('of a megabyte in one line opens folded', async () => {
    const { page } = dashboard;
    const run = await open(talk('ok'), 'conversation', 'x'.repeat(1_000_000));

    await page.getByRole('button', { name: 'Show the first 32,768 characters' }).waitFor();
    await page.getByRole('button', { name: 'Load the whole message' }).click();
    await page.getByRole('button', { name: 'Show all 1,000,000 characters' }).waitFor();

    await page.goto(dashboard.url(`/ui/runs/${run}/activations?a=a1`));
    const input = page.getByRole('region', { name: 'Input' });
    await input.getByRole('button', { name: 'Load 32 KB' }).click();
    await input.getByRole('button', { name: 'Show the first 32,768 characters' }).waitFor();
    await input.getByRole('button', { name: /^Load all 97\d KB$/ }).click();
    await input.getByRole('button', { name: 'Show all 1,000,000 characters' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Show the first 32,768 characters' }).waitFor();
    const task = await page.getByRole('article').first().boundingBox();
    expect((task?.x ?? 0) + (task?.width ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
  });

  it.each([
    ['lines', 'The quick brown fox jumps over the lazy dog.\n\n'.repeat(22_000)],
    ['one line', 'x'.repeat(1_000_000)],
  ])('of a megabyte in %s opens as input, output and result without a long task', async (_kind, text) => {
    const { page } = dashboard;
    await open('graph: { id: passes, nodes: [{ id: Say, type: passthrough, config: {} }] }', 'graph', text);
    await page.locator('[data-node="Say"]').waitFor();
    const panel = page.getByRole('complementary', { name: 'Node Say' });
    const part = (name: string) => panel.getByRole('region', { name, exact: true });

    const longest = await longestTaskMs(page, async () => {
      await page.locator('[data-node="Say"]').click();
      await part('Output').getByRole('button', { name: 'Load 32 KB' }).waitFor();
      await part('Input').getByRole('button').first().click();
      for (const name of ['Input', 'Output']) {
        await part(name).getByRole('button', { name: 'Load 32 KB' }).click();
        await part(name)
          .getByRole('button', { name: /^Load all/ })
          .waitFor();
      }
      await page.getByRole('button', { name: /Task and result/ }).click();
      await page
        .getByText(/^Show all [\d,]+ characters$/)
        .nth(1)
        .waitFor();
    });

    expect(longest).toBeLessThan(200);
  });
});

describe('the warnings of a run', () => {
  const twice = `
graph:
  id: twice
  end: [Left, Right]
  nodes:
    - { id: Source, type: passthrough, config: {} }
    - { id: Left, type: passthrough, config: {} }
    - { id: Right, type: passthrough, config: {} }
  edges:
    - { from: Source, to: Left, processor: &unknown { type: template, config: { template: "{{ unknown }}" } } }
    - { from: Source, to: Right, condition: { type: keyword, config: { any: [A] } }, processor: *unknown }
`;

  it('are listed below its status, and in the activation that had them', async () => {
    const { page } = dashboard;
    const run = await open(twice, 'graph');

    const warnings = page.getByRole('region', { name: 'Warnings' });
    await warnings.getByText('2 warnings').waitFor();
    await warnings.getByText('the processor of the edge to "Left" failed').waitFor();
    await warnings.getByRole('link', { name: 'Source' }).first().click();
    await page.waitForURL(dashboard.url(`/ui/runs/${run}/graph?n=Source**`));
  });

  it('about its workflow are folded below its status, with their places and their codes', async () => {
    const { page } = dashboard;
    const refused = `
graph:
  id: refused
  nodes:
    - { id: Ask, type: human, config: {} }
    - { id: Tell, type: agent, config: { provider: anthropic, name: claude-sonnet-5-5, params: { temperature: 1 } } }
  edges: [{ from: Ask, to: Tell }]
`;
    await open(refused, 'graph');

    await page.getByText('1 warning about the workflow').click();

    const warnings = page.getByLabel('Warnings about the workflow');
    await warnings.getByText('W_PARAM_REFUSED').waitFor();
    expect(await warnings.textContent()).toContain('takes no temperature');
    await open(talk('Fine.'), 'graph');
    await page.getByText('Is it good?').first().waitFor();
    expect(await page.getByText('about the workflow').count()).toBe(0);
  });
});

describe('a call of a model', () => {
  const asking = `
graph:
  id: asking
  nodes:
    - id: Writer
      type: agent
      config: { provider: scripted, name: parrot, role: Write one line., params: { default: A line. } }
`;

  it('says that what was asked was not recorded, and shows what came back', async () => {
    const { page } = dashboard;
    const response = await fetch(dashboard.url('/v1/runs'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'wait=60' },
      body: JSON.stringify({ workflow: { yaml: asking }, input: 'About rain', recordRequests: false }),
    });
    const { runId } = (await response.json()) as { readonly runId: string };
    await page.goto(dashboard.url(`/ui/runs/${runId}/activations?a=a1`));

    await page.getByRole('button', { name: 'chat parrot' }).click();

    await page.getByText('What the model was asked was not recorded in this run.').waitFor();
    await page.getByRole('region', { name: 'Reply' }).getByText('A line.').waitFor();
    expect(await page.getByRole('region', { name: 'Prompt' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Fork with this prompt changed' }).count()).toBe(0);
  });

  it('opens what was asked and what came back, and leads to a fork with another prompt', async () => {
    const { page } = dashboard;
    await open(asking, 'activations?a=a1', 'About rain');

    await page.getByRole('button', { name: 'chat parrot' }).click();

    const prompt = page.getByRole('region', { name: 'Prompt' });
    await prompt.getByText('Write one line.').waitFor();
    await prompt.getByText('About rain').waitFor();
    await page.getByRole('region', { name: 'Reply' }).getByText('A line.').waitFor();

    await page.getByRole('button', { name: 'Fork with this prompt changed' }).click();

    await expect
      .poll(() => page.getByRole('dialog').getByRole('textbox', { name: 'Prompt' }).inputValue())
      .toBe('Write one line.');
  });
});

it('shows the fields of a typed output, and the type in the panel of its node', async () => {
  const schema =
    '{type: object, required: [verdict, score], properties: {verdict: {enum: [accept, revise]}, score: {type: integer}, remarks: {type: array, items: {type: string}}}}';
  const reply = '{"verdict": "revise", "score": 4, "remarks": ["too long", "no end"]}';
  const yaml = `graph:
  id: review
  nodes:
    - id: Review
      type: agent
      config: {provider: scripted, name: m, params: {default: '${reply}'}, output: {schema: ${schema}, text: "Please revise."}}
`;
  const { page } = dashboard;
  await open(yaml, 'graph?n=Review');

  const panel = page.getByRole('complementary', { name: 'Node Review' });
  await panel.getByText('{verdict: accept | revise, score: integer, remarks?: [string]}').waitFor();
  const output = panel.getByRole('region', { name: 'Output' });
  await output.getByText('Please revise.').waitFor();
  const fields = output.getByLabel('Data');
  await fields.waitFor();
  expect(await fields.locator('dt').allTextContents()).toEqual(['verdict', 'score', 'remarks']);
  expect(await fields.locator('dd').allTextContents()).toEqual(['revise', '4', '[\n "too long",\n "no end"\n]']);
});
