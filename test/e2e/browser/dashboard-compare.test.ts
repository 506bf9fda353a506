import { AxeBuilder } from '@axe-core/playwright';
import { describe, expect, it } from 'vitest';
import { useDashboard } from '../../support/browser/dashboard.ts';
import { mainThreadMs } from '../../support/browser/task-duration.ts';

const dashboard = useDashboard();

const talk = `
graph:
  id: talk
  start: [Writer]
  end: [Final]
  nodes:
    - { id: Writer, type: agent, config: { provider: scripted, name: parrot, params: { default: A first draft of words. } } }
    - { id: Reviewer, type: agent, config: { provider: scripted, name: parrot, params: { default: Read it again. } } }
    - { id: Mend, type: literal, config: { content: Mended } }
    - { id: Final, type: passthrough, config: {} }
  edges:
    - { from: Writer, to: Reviewer }
    - { from: Reviewer, to: Mend, condition: { type: keyword, config: { any: [again] } } }
    - { from: Reviewer, to: Final, condition: { type: keyword, config: { none: [again] } } }
    - { from: Mend, to: Final }
`;

/** Starts a run and waits for its end. */
async function finished(yaml: string, input?: string): Promise<string> {
  const run = await dashboard.start(yaml, input === undefined ? {} : { input });
  await fetch(dashboard.url(`/v1/runs/${run}?wait=60s`));
  return run;
}

async function post(path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(dashboard.url(path), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

async function forked(run: string, at: string, output: string): Promise<string> {
  const { runId } = await post(`/v1/runs/${run}/fork`, { at, output });
  await fetch(dashboard.url(`/v1/runs/${String(runId)}?wait=60s`));
  return String(runId);
}

const rowOf = (node: string) =>
  dashboard.page.getByRole('table', { name: 'Activations' }).getByRole('row', { name: node });

describe('a fork from the panel of a node', () => {
  it('gives the activation another output, leads to the new run, and from there to the comparison with one key', async () => {
    const { page } = dashboard;
    const run = await finished(talk);
    await page.goto(dashboard.url(`/ui/runs/${run}/graph?n=Reviewer`));

    await page.getByRole('complementary', { name: 'Node Reviewer' }).getByRole('button', { name: 'Fork here' }).click();
    const dialog = page.getByRole('dialog', { name: /^Fork at Reviewer/ });
    const output = dialog.getByRole('textbox', { name: 'Output' });
    expect(await output.inputValue()).toBe('Read it again.');
    await output.fill('ACCEPT');
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click();

    await page.waitForURL((url) => url.pathname.startsWith('/ui/runs/run_') && !url.pathname.includes(run));
    const fork = new URL(page.url()).pathname.split('/').at(3) ?? '';
    await page.getByText('fork of').waitFor();
    await fetch(dashboard.url(`/v1/runs/${fork}?wait=60s`));
    await page.keyboard.press('d');
    await page.getByRole('heading', { name: 'Compare', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/ui/runs/${run}/compare/${fork}`);
    await rowOf('Writer').getByText('same').waitFor();
    await rowOf('Reviewer').getByText('changed').waitFor();
    await rowOf('Mend').getByText('only A').waitFor();
    await rowOf('Final').getByText('changed').waitFor();
  });

  it('executes the activation again where nothing else is wanted, and copies itself as a command', async () => {
    const { page, context } = dashboard;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const run = await finished(talk);
    await page.goto(dashboard.url(`/ui/runs/${run}/activations?a=a2`));
    await page.getByRole('complementary', { name: 'Reviewer · a2' }).waitFor();

    await page.keyboard.press('f');
    const dialog = page.getByRole('dialog', { name: /^Fork at Reviewer/ });
    await dialog.getByRole('button', { name: 'Execute it again' }).click();
    await dialog.getByRole('button', { name: 'Copy as CLI' }).click();

    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe(`millrace fork ${run} --at a2`);
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
    await page.getByText('fork of').waitFor();
  });

  it('accepts another input, or another prompt and model, and shows what is paid again', async () => {
    const { page } = dashboard;
    const run = await finished(talk);
    await page.goto(dashboard.url(`/ui/runs/${run}/activations?a=a2`));
    const drawer = page.getByRole('complementary', { name: 'Reviewer · a2' });
    await drawer.getByRole('button', { name: 'Fork here' }).click();
    const dialog = page.getByRole('dialog', { name: /^Fork at Reviewer/ });
    await dialog.getByText('1 activation, 2 calls').waitFor();
    await dialog.getByRole('button', { name: 'Another input' }).click();
    expect(await dialog.getByRole('textbox', { name: 'Input' }).inputValue()).toBe('A first draft of words.');
    await dialog.getByRole('button', { name: 'Other settings' }).click();
    await dialog.getByRole('textbox', { name: 'Variables' }).fill('no variable');
    await dialog.getByText('“no variable” is no NAME=VALUE.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Fork', exact: true }).isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'Variables' }).fill('');
    await dialog.getByRole('textbox', { name: 'Prompt' }).fill('Be brief.');
    await dialog.getByRole('textbox', { name: 'Model' }).fill('crow');

    await dialog.getByRole('button', { name: 'Fork', exact: true }).click();

    await page.getByText('fork of').waitFor();
    await page.keyboard.press('d');
    await rowOf('Writer').getByText('same').waitFor();
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByText('role: Be brief.').waitFor();
  });

  it('has a replay beside it, which asks nobody for what came before', async () => {
    const { page } = dashboard;
    const run = await finished(talk);
    await page.goto(dashboard.url(`/ui/runs/${run}/activations?a=a2`));
    const drawer = page.getByRole('complementary', { name: 'Reviewer · a2' });
    await drawer.getByRole('button', { name: 'Replay from' }).click();

    await page.getByRole('button', { name: 'Start the replay' }).click();

    await page.getByText('replay of').waitFor();
    const replay = new URL(page.url()).pathname.split('/').at(3) ?? '';
    const response = await fetch(dashboard.url(`/v1/runs/${replay}?wait=60s`));
    expect(await response.json()).toMatchObject({ status: 'completed', usage: { calls: 1 } });
  });

  it('begins at the activation that had settled where the slider stands', async () => {
    const { page } = dashboard;
    const run = await finished(talk);
    const headers = { accept: 'application/json' };
    const events = (await (await fetch(dashboard.url(`/v1/runs/${run}/events?limit=1000`), { headers })).json()) as {
      readonly data: readonly {
        readonly id: string;
        readonly event: { readonly type: string; readonly activation?: string };
      }[];
    };
    const settled = events.data.find(({ event }) => event.type === 'activation.completed' && event.activation === 'a2');
    await page.goto(dashboard.url(`/ui/runs/${run}/graph?at=${settled?.id}`));
    await page.getByText('not live').waitFor();

    await page.keyboard.press('f');

    await page.getByRole('dialog', { name: 'Fork at Reviewer, a2' }).waitFor();
  });
});

describe('two runs beside each other', () => {
  it('have their pairs in a list, their texts in a drawer, and what differs alone if wanted', async () => {
    const { page } = dashboard;
    const a = await finished(talk);
    const b = await forked(a, 'a2', 'Read it <img src=x onerror=alert(1)> again, please.');
    await page.goto(dashboard.url(`/ui/runs/${a}/compare/${b}`));
    await rowOf('Reviewer').getByRole('button', { name: 'Reviewer' }).click();

    const drawer = page.getByRole('complementary', { name: 'Reviewer' });
    const output = drawer.getByRole('region', { name: 'Output' });
    await output.locator('ins', { hasText: 'please' }).waitFor();
    await output.getByText('<img src=x').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Differences' }).click();
    await expect.poll(() => rowOf('Writer').count()).toBe(0);
    await page.getByRole('button', { name: '1 activation in common' }).waitFor();
    await page.getByRole('table', { name: 'Totals' }).getByRole('row', { name: 'Activations' }).waitFor();
  });

  it('share one graph, in which each node shows how its activations compare', async () => {
    const { page } = dashboard;
    const a = await finished(talk);
    const b = await forked(a, 'a2', 'ACCEPT');
    await page.goto(dashboard.url(`/ui/runs/${a}/compare/${b}?view=graph`));

    await page.getByRole('button', { name: 'Mend, literal, 1 only A' }).waitFor();
    await page.getByRole('button', { name: 'Writer, agent, 1 same' }).waitFor();
    await page.getByRole('button', { name: 'Reviewer, agent, 1 changed' }).click();
    await rowOf('Reviewer').getByText('changed').waitFor();
  });

  it('may have different texts: nodes are paired by their ids, settings and lines are compared', async () => {
    const { page } = dashboard;
    const a = await finished(talk);
    const b = await finished(talk.replace('first draft', 'second draft').replaceAll('Mend', 'Repair'), 'Another task');
    await page.goto(dashboard.url(`/ui/runs/${a}/compare/${b}`));
    await rowOf('Writer').getByText('changed').waitFor();
    await rowOf('Mend').getByText('only A').waitFor();
    await rowOf('Repair').getByText('only B').waitFor();

    await page.getByRole('button', { name: 'Settings' }).click();

    await page.getByRole('row', { name: 'Task' }).getByText('changed').waitFor();
    await page.getByText('A second draft of words.').waitFor();
    await page.getByRole('button', { name: 'Graph' }).click();
    await page.getByRole('button', { name: 'Repair, literal, only B has it, 1 only B' }).waitFor();
  });

  it('differ from a replay, for which nothing was called', async () => {
    const { page } = dashboard;
    const run = await finished(talk);
    const { runId } = await post(`/v1/runs/${run}/replay`, {});
    await fetch(dashboard.url(`/v1/runs/${String(runId)}?wait=60s`));
    await page.goto(dashboard.url(`/ui/runs/${String(runId)}/graph`));
    await page.getByText('nothing was asked, $0 paid').waitFor();

    await page.getByRole('link', { name: 'Compare' }).click();

    await page.getByText('nothing was asked, nothing paid').waitFor();
    await rowOf('Final').getByText('same').waitFor();
    expect(await page.getByRole('table', { name: 'Activations' }).getByText('changed').count()).toBe(0);
  });

  it('are chosen in the list of runs', async () => {
    const { page } = dashboard;
    const [a, b] = [await finished(talk, 'The older one'), await finished(talk, 'The newer one')];
    await page.goto(dashboard.url('/ui/runs'));
    await page.getByRole('checkbox', { name: 'Select The newer one' }).check();
    await page.getByRole('checkbox', { name: 'Select The older one' }).check();

    await page.getByRole('link', { name: 'Compare' }).click();

    await page.getByRole('heading', { name: 'Compare', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/ui/runs/${a}/compare/${b}`);
  });

  it('may have 10,000 activations each: few elements are in the page, wherever one scrolls', async () => {
    const { page } = dashboard;
    const [a, b] = [await finished(talk), await finished(talk)];
    const count = 10_000;
    await page.route('**/v1/runs/*/timeline**', (route) => {
      const isA = route.request().url().includes(a);
      const numbers = Array.from({ length: count }, (_, at) => at + 1);
      const zeros = numbers.map(() => 0);
      const body = {
        firstAt: 1,
        nodes: [{ graph: '', node: 'Each' }],
        states: ['completed'],
        id: numbers,
        node: zeros,
        state: zeros,
        ready: zeros,
        started: zeros,
        settled: numbers.map(() => 5),
        unit: numbers.map((number) => number - 1),
        turn: [],
        microUsd: [],
        head: numbers.map((number) => `output ${number}`),
        digest: numbers.map((number) => (number % 100 === 0 && isA ? 'other' : `d${number}`)),
        nextCursor: null,
      };
      return route.fulfill({ contentType: 'application/json', body: JSON.stringify(body) });
    });

    const spentMs = await mainThreadMs(page, async () => {
      await page.goto(dashboard.url(`/ui/runs/${a}/compare/${b}`));
      await page.getByText('9,900').waitFor();
      await rowOf('unit 1').first().waitFor();
    });

    const table = page.getByRole('table', { name: 'Activations' });
    expect(await table.getAttribute('aria-rowcount')).toBe(String(count + 1));
    await page.mouse.wheel(0, 10_000_000);
    await rowOf('unit 10000').getByText('changed').waitFor();
    await expect.poll(() => page.locator('*').count()).toBeLessThan(900);
    expect(spentMs).toBeLessThan(1_500);
  });

  it('are refused where one of them does not exist', async () => {
    const { page } = dashboard;
    const run = await finished(talk);
    await page.goto(dashboard.url(`/ui/runs/${run}/compare/run_nobody`));

    await page.getByText('RUN_UNKNOWN').waitFor();
    dashboard.expectErrors('404');
  });

  it.each(['steps', 'graph', 'settings'])('violate no rule of WCAG that axe knows: %s', async (view) => {
    const { page } = dashboard;
    const a = await finished(talk);
    const b = await forked(a, 'a2', 'ACCEPT');
    await page.goto(dashboard.url(`/ui/runs/${a}/compare/${b}?view=${view}${view === 'steps' ? '&a=a2&b=a2' : ''}`));
    await page
      .getByText(view === 'settings' ? 'Both runs have the same text.' : 'changed')
      .last()
      .waitFor();

    const { violations } = await new AxeBuilder({ page })
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
      .analyze();

    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
  });
});
