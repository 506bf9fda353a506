import { beforeAll, describe, expect, it } from 'vitest';
import { violationsOn } from '../../../support/browser/accessibility.ts';
import { useDashboard } from '../../../support/browser/dashboard.ts';

const dashboard = useDashboard();

const letter = `
vars:
  GREETING: Hello # of the letter
graph:
  id: letter
  nodes:
    - { id: Write, type: literal, config: { content: "\${GREETING}, \${NAME}" } }
    - { id: End, type: passthrough, config: {} }
  edges: [{ from: Write, to: End }]
`;

const { send } = dashboard;

const countOfRuns = async (workflow: string): Promise<number> =>
  ((await send('GET', `/v1/runs?workflow=${workflow}`))['data'] as unknown[]).length;

beforeAll(() => send('PUT', '/v1/workflows/letter', { yaml: letter }));

describe('the form of a new run', () => {
  it('is made from the workflow, sends files, and starts one run however often somebody clicks', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/runs'));
    await page.getByRole('link', { name: 'Start' }).click();
    await page.getByRole('heading', { name: 'Start a run', level: 1 }).waitFor();
    await page.getByLabel('Workflow').selectOption('letter');
    await page.getByRole('textbox', { name: 'Task' }).fill('A letter');
    await page.getByRole('textbox', { name: 'NAME' }).fill('Ada');
    expect(await page.getByRole('textbox', { name: 'GREETING' }).getAttribute('placeholder')).toBe('default: Hello');
    await page.getByLabel('Files').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await page.getByRole('button', { name: 'Remove a.txt' }).waitFor();
    await page.getByRole('textbox', { name: 'Tags' }).fill('mail, test');
    await page.getByLabel('Budget in tokens').fill('1000');

    await page.getByRole('button', { name: 'Start', exact: true }).dblclick();

    await page.waitForURL(/\/ui\/runs\/run_[0-9a-f]+\/graph/);
    const id = new URL(page.url()).pathname.split('/').at(3) ?? '';
    const run = await send('GET', `/v1/runs/${id}?wait=20s`);
    expect(run).toMatchObject({ output: 'Hello, Ada', tags: ['mail', 'test'], budget: { limit: { tokens: 1000 } } });
    expect(await countOfRuns('letter')).toBe(1);
  });

  it('offers the workflows after another form has loaded them', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/schedules/new'));
    await page.locator('option[value=letter]').waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('link', { name: 'Start' }).click();

    await page.getByLabel('Workflow').selectOption('letter');
    await page.getByRole('textbox', { name: 'NAME' }).waitFor();
  });

  it('names each error with its code beside its field', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/runs/new?workflow=letter'));
    await page.getByRole('textbox', { name: 'Time limit' }).fill('soon');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('Write a time such as 90s, 30m or 2h.').waitFor();
    await page.getByRole('textbox', { name: 'Time limit' }).fill('30m');

    await page.getByRole('button', { name: 'Start', exact: true }).click();

    const name = page.getByRole('textbox', { name: 'NAME' });
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true');
    await page.getByText('E_VARIABLE_UNRESOLVED').first().waitFor();
    dashboard.expectErrors('422');
  });

  it('begins with the task and the settings of another run', async () => {
    const { page } = dashboard;
    const { runId } = await send('POST', '/v1/runs', {
      workflow: { yaml: letter.replace('id: letter', 'id: other') },
      input: 'The whole\ntask <img src=x onerror=alert(1)>',
      vars: { NAME: 'Grace' },
      tags: ['again'],
    });
    await fetch(dashboard.url(`/v1/runs/${String(runId)}?wait=20s`));
    await page.goto(dashboard.url(`/ui/runs/${String(runId)}/graph`));

    await page.getByRole('link', { name: 'Run again' }).click();

    const task = page.getByRole('textbox', { name: 'Task' });
    await expect.poll(() => task.inputValue()).toBe('The whole\ntask <img src=x onerror=alert(1)>');
    expect(await page.getByRole('textbox', { name: 'NAME' }).inputValue()).toBe('Grace');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL(/\/ui\/runs\/run_[0-9a-f]+\/graph/);
    await expect.poll(() => countOfRuns('other')).toBe(2);
  });

  it('makes a schedule instead', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/runs/new?workflow=letter'));
    await page.getByRole('textbox', { name: 'NAME' }).fill('Ada');
    await page.getByRole('button', { name: 'On a schedule' }).click();
    await page.getByRole('button', { name: 'Create the schedule' }).click();
    await page.getByText('Give the schedule an id.').waitFor();
    await page.getByRole('textbox', { name: 'Id of the schedule' }).fill('mornings');
    await page.getByRole('textbox', { name: 'Times' }).fill('0 7 * * 1-5');

    await page.getByRole('button', { name: 'Create the schedule' }).click();

    await page.waitForURL((url) => !url.pathname.endsWith('/new'));
    const schedule = await send('GET', '/v1/schedules/mornings');
    expect(schedule).toMatchObject({ cron: '0 7 * * 1-5', run: { workflow: 'letter', vars: { NAME: 'Ada' } } });
  });

  it('violates no rule of WCAG that axe knows, errors included', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/runs/new?workflow=letter'));
    await page.getByRole('textbox', { name: 'Time limit' }).fill('soon');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText('Write a time such as 90s, 30m or 2h.').waitFor();

    expect(await violationsOn(page)).toEqual([]);
  });
});
