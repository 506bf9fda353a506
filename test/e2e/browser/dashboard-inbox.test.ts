import { afterEach, describe, expect, it } from 'vitest';
import { violationsOn } from '../../support/browser/accessibility.ts';
import { useDashboard } from '../../support/browser/dashboard.ts';

const review = `
graph:
  id: review
  nodes:
    - { id: Writer, type: passthrough, config: {} }
    - { id: Reviewer, type: human, config: { description: Is it good? } }
    - { id: Final, type: passthrough, config: {} }
    - { id: Redo, type: passthrough, config: {} }
  edges:
    - { from: Writer, to: Reviewer }
    - { from: Reviewer, to: Final, condition: { type: keyword, config: { any: [ACCEPT] } } }
    - { from: Reviewer, to: Redo, condition: { type: keyword, config: { none: [ACCEPT] } } }
  start: [Writer]
  end: [Final, Redo]
`;

const form = `
graph:
  id: form
  nodes:
    - id: Editor
      type: human
      config:
        output:
          schema:
            type: object
            properties: { verdict: { enum: [accept, revise] }, score: { type: integer, maximum: 10 } }
            required: [verdict]
    - { id: Final, type: passthrough, config: {} }
    - { id: Redo, type: passthrough, config: {} }
  edges:
    - { from: Editor, to: Final, condition: { type: data, config: { verdict: accept } } }
    - { from: Editor, to: Redo, condition: { type: data, config: { verdict: revise } } }
  start: [Editor]
  end: [Final, Redo]
`;

const dashboard = useDashboard();
const { url } = dashboard;
afterEach(async () => {
  const { runs } = dashboard.api.runtime;
  for (const { run } of (await runs.list({ limit: 100, asks: true })).runs) await runs.cancel(run, 'the test is over');
});

/** A question that is asked again after activations 61 to 64 of a run. */
const again = `
graph:
  id: again
  nodes:
${Array.from({ length: 60 }, (_, at) => `    - { id: N${at}, type: passthrough, config: {} }`).join('\n')}
    - { id: Writer, type: passthrough, config: {} }
    - { id: Reviewer, type: human, config: { description: Is it good? } }
    - { id: Final, type: passthrough, config: {} }
  edges:
${Array.from({ length: 59 }, (_, at) => `    - { from: N${at}, to: N${at + 1} }`).join('\n')}
    - { from: N59, to: Writer }
    - { from: Writer, to: Reviewer }
    - { from: Reviewer, to: Writer, condition: { type: keyword, config: { none: [ACCEPT] } } }
    - { from: Reviewer, to: Final, condition: { type: keyword, config: { any: [ACCEPT] } } }
  start: [N0]
  end: [Final]
`;

const asking = ['Which colour?', 'Which size?', 'Which day?'].map((instruction, at) => ({
  tool_calls: [{ name: 'call_user', arguments: { instruction }, id: `c${at}` }],
}));

/** An agent whose tool asks three times in one activation. */
const interview = `
graph:
  id: interview
  nodes:
    - id: Clerk
      type: agent
      config:
        provider: scripted
        name: clerk
        params: ${JSON.stringify({ rules: [{ when: {}, replies: [...asking, '{last}'] }] })}
        tooling: [{ type: function, config: { tools: [{ name: call_user }] } }]
`;

async function asked(input = 'A fence.', yaml = review): Promise<string> {
  const runId = await dashboard.start(yaml, { input });
  await fetch(url(`/v1/runs/${runId}?wait=20s`));
  return runId;
}

const outputOf = async (run: string): Promise<unknown> =>
  ((await (await fetch(url(`/v1/runs/${run}?wait=20s&until=ended`))).json()) as { readonly output: unknown }).output;

const question = (run: string, on = dashboard.page) => on.getByRole('article').filter({ hasText: run });

describe('the inbox', () => {
  it('shows the destination of an answer while it is typed, and offers the words of conditions', async () => {
    const { page } = dashboard;
    const run = await asked();
    await page.goto(url(`/ui/inbox/${run}.a2`));
    const article = question(run);
    await article.getByText('goes to: Redo').waitFor();

    await article.getByRole('button', { name: 'ACCEPT → Final' }).click();

    await article.getByText('goes to: Final').waitFor();
    expect(await article.getByRole('textbox').inputValue()).toBe('ACCEPT');
  });

  it('makes a form of a schema, which keyboards fill, and confirms what was sent', async () => {
    const { page } = dashboard;
    dashboard.expectErrors('422');
    const [first, second] = [await asked('one', form), await asked('two', form)];
    await page.goto(url(`/ui/inbox/${first}.a1`));
    const article = question(first);
    await article.getByRole('radio', { name: 'accept' }).waitFor();
    const send = article.getByRole('button', { name: 'Answer' });
    expect(await send.textContent()).toBe('Answer: verdict is missing.');
    expect(await violationsOn(page)).toEqual([]);

    await page.keyboard.press('a');
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.type('11');
    await page.keyboard.press('Control+Enter');
    await article.getByText('/score: expected a number of at most 10').waitFor();
    await article.getByRole('spinbutton', { name: 'score' }).fill('7');
    await page.keyboard.press('Control+Enter');

    await page.getByRole('status').getByText('Answered {"verdict":"accept","score":7}').waitFor();
    await question(second).getByRole('radio', { name: 'accept' }).waitFor();
    expect(await outputOf(first)).toBe('{"verdict":"accept","score":7}');
  });

  it('leads by keys alone from the list to an answer, and on to the next question', async () => {
    const { page } = dashboard;
    const [first, second] = [await asked('one'), await asked('two')];
    await page.goto(url('/ui/runs'));
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();

    for (const key of ['g', 'i']) await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await page.getByRole('link', { name: 'Reviewer' }).first().waitFor();
    await page.keyboard.press('j');
    await page.waitForURL(`**/ui/inbox/${first}.a2`);
    // The first question was there before it was chosen, as another element.
    await page
      .locator('[data-chosen="true"]')
      .getByRole('article')
      .filter({ hasText: first })
      .getByRole('textbox')
      .waitFor();
    await page.keyboard.press('a');
    await page.keyboard.type('ACCEPT');
    await page.keyboard.press('Control+Enter');

    await question(second).getByRole('textbox').waitFor();
    expect(await outputOf(first)).toBe('ACCEPT');
  });

  it('leads on a phone without letter keys in six tab stops from the list of runs to an answer', async () => {
    const page = await dashboard.ownPage();
    const run = await asked();
    await page.addInitScript("localStorage.setItem('millrace.letters', 'off')");
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(url('/ui/runs'));
    await page.locator(`tr[data-run="${run}"]`).waitFor();
    await page.locator('h1:focus').waitFor();
    const focused = page.locator(':focus');

    await page.keyboard.press('Tab');
    expect(await focused.textContent()).toBe('Skip to the list');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Answer the question' }).waitFor();
    await page.locator('h1:focus').waitFor();
    await page.keyboard.press('Tab');
    expect(await focused.textContent()).toBe('Answer the question');
    const targets = await page.locator('main header').first().locator('button, a.button').all();
    const heights = await Promise.all(targets.map(async (target) => (await target.boundingBox())?.height));
    // The answer, and the menu of all other actions.
    expect(heights).toEqual([44, 44]);
    await page.keyboard.press('Enter');
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type('ACCEPT');
    for (const _control of ['Attach', 'Claim 10 min', 'Copy', 'Answer']) await page.keyboard.press('Tab');
    expect(await focused.textContent()).toBe('Answer');
    await page.keyboard.press('Enter');

    expect(await outputOf(run)).toBe('ACCEPT');
  });

  it('shows two people which answer was first, and keeps the text of the other through a reload', async () => {
    const { page } = dashboard;
    const run = await asked();
    const other = await dashboard.browser.newPage();
    for (const one of [page, other]) await one.goto(url(`/ui/inbox/${run}.a2`));
    await question(run).getByRole('textbox').fill('mine');
    await question(run, other).getByRole('textbox').fill('theirs');
    await question(run, other).getByRole('button', { name: 'Answer' }).click();

    await question(run).getByText('“theirs”').waitFor();

    await page.reload();
    await question(run).getByText('“theirs”').waitFor();
    expect(await question(run).getByRole('textbox').inputValue()).toBe('mine');
    expect(await outputOf(run)).toBe('theirs');
    await other.close();
  });

  it('asks each question of one activation by itself, confirms each answer, and goes on to the next one', async () => {
    const { page } = dashboard;
    const run = await asked('A lamp.', interview);
    const article = (name: string) => page.getByRole('article', { name });
    const answer = async (name: string, text: string) => {
      expect(await article(name).getByRole('textbox').inputValue()).toBe('');
      await article(name).getByRole('textbox').fill(text);
      await article(name).getByRole('button', { name: 'Answer', exact: true }).click();
      await page.getByRole('status').getByText(`Answered “${text}”`).waitFor();
    };
    await page.goto(url(`/ui/inbox/${run}.a1`));
    await article('Which colour?').waitFor();
    await answer('Which colour?', 'red');

    await article('Which size?').waitFor();
    expect(await article('Which colour?').count()).toBe(0);
    await page.getByRole('navigation', { name: 'Questions' }).getByRole('link').click();
    await page.waitForURL(`**/ui/inbox/${run}.a1-2`);
    await answer('Which size?', 'large');

    await page.goto(url(`/ui/runs/${run}`));
    await article('Which day?').waitFor();
    await answer('Which day?', 'Sunday');

    expect(await outputOf(run)).toContain('Sunday');
    await page.goto(url(`/ui/inbox/${run}.a1-2`));
    await page.getByText('“large”').waitFor();
  });

  it('is read, and answered by nobody, with a key that may only read', async () => {
    const { page } = dashboard;
    const run = await asked();
    const me = { name: 'viewer', tenant: 'default', scopes: ['read'], operator: false, open: false };
    const server = { version: '1', now: Date.now(), workers: 1 };
    await page.route('**/v1/me', (route) =>
      route.fulfill({ contentType: 'application/json', body: JSON.stringify({ ...me, server }) }),
    );
    await page.goto(url(`/ui/inbox/${run}.a2`));

    await question(run).getByText('You can read this question, but not answer it.').waitFor();
    await question(run).getByText('A fence.').waitFor();
    expect(await question(run).getByRole('textbox').count()).toBe(0);
    expect(
      await question(run)
        .getByRole('button', { name: /Answer|Claim/ })
        .count(),
    ).toBe(0);
    for (const screen of ['Runs', 'Workflows', 'Batches', 'Schedules', 'Webhooks']) {
      await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen }).click();
      await page.getByRole('heading', { level: 1, name: screen }).waitFor();
      expect(await page.getByRole('link', { name: /^(New|Start)/ }).count()).toBe(0);
    }
    await page.unrouteAll();
  });

  it('claims a question, which is then listed for its person', async () => {
    const { page } = dashboard;
    const run = await asked();
    await page.goto(url(`/ui/inbox/${run}.a2`));

    await question(run).getByRole('button', { name: 'Claim 10 min' }).click();

    await question(run)
      .getByText(/claimed by you · .* left/)
      .waitFor();
    await page.getByRole('button', { name: 'mine 1' }).click();
    await page.getByRole('link', { name: 'Reviewer' }).waitFor();
    await question(run).getByRole('button', { name: 'Release', exact: true }).click();
    await page.getByText('You have claimed no question.').waitFor();
  });

  it('does not answer a question that another person has claimed before it is taken over', async () => {
    const { page } = dashboard;
    const run = await asked();
    await dashboard.send('POST', `/v1/tasks/${run}.a2/claim`, { assignee: 'ann' });
    await page.goto(url(`/ui/inbox/${run}.a2`));
    await question(run).getByRole('textbox').fill('ACCEPT');
    await question(run)
      .getByText(/claimed by ann · .* left/)
      .waitFor();
    const answer = question(run).getByRole('button', { name: 'Answer' });
    expect(await answer.textContent()).toBe('Answer: ann has claimed this question. Take it over to answer it.');
    expect(await answer.getAttribute('aria-disabled')).toBe('true');

    await question(run).getByRole('button', { name: 'Take over' }).click();
    await page.getByRole('dialog').getByText('The claim of ann ends').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Take over' }).click();

    await question(run)
      .getByText(/claimed by you/)
      .waitFor();
    await answer.click();
    expect(await outputOf(run)).toBe('ACCEPT');
  });

  it('filters questions by workflow, and keeps the filter in its address', async () => {
    const { page } = dashboard;
    const other = await asked('two', again);
    const run = await asked('one');
    await page.goto(url('/ui/inbox'));
    const list = page.getByRole('navigation', { name: 'Questions' });
    await list.getByRole('link').nth(1).waitFor();

    await page.getByLabel('Workflow').selectOption('review');

    await list.getByRole('link').nth(1).waitFor({ state: 'detached' });
    await question(run).waitFor();
    await page.reload();
    await question(run).waitFor();
    expect(await list.getByRole('link').count()).toBe(1);
    await page.getByLabel('Workflow').selectOption('again');
    await question(other).waitFor();
  });

  it('shows the changes since the last question, if there was one, without reading the run from its beginning', async () => {
    const { page } = dashboard;
    const run = await asked('A fence.', again);
    await page.goto(url(`/ui/inbox/${run}.a62`));
    const changes = question(run).getByRole('button', { name: 'Changes since last time' });
    await question(run).getByText('from Writer').waitFor();
    expect(await changes.count()).toBe(0);
    await question(run).getByRole('textbox').fill('A wall.');
    await question(run).getByRole('button', { name: 'Answer' }).click();
    await page.goto(url(`/ui/inbox/${run}.a64`));
    const reads: URL[] = [];
    page.on('request', (request) => void reads.push(new URL(request.url())));

    await changes.click();

    await question(run).getByText('removed: A fence.').waitFor();
    await question(run).getByText('added: A wall.').waitFor();
    const lists = reads.filter(({ pathname }) => /(activations|timeline)$/.test(pathname));
    // It is read again when the run goes on meanwhile.
    expect(new Set(lists.map(({ searchParams }) => searchParams.get('after')))).toEqual(new Set(['a14']));
  });

  it.each([390, 320])('answers a question on a phone that is %i pixels wide, with one hand', async (width) => {
    const { page } = dashboard;
    const run = await asked('A fence.');
    await page.setViewportSize({ width, height: 700 });
    await page.goto(url('/ui/inbox'));
    await page.getByRole('link', { name: 'Reviewer' }).click();
    const article = question(run);
    await article.getByRole('textbox').fill('ACCEPT');

    const box = await article.getByRole('button', { name: 'Answer' }).boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    const content = await page.locator('main').boundingBox();
    expect(content?.width).toBeLessThanOrEqual(width);
    await article.getByRole('button', { name: 'Answer' }).click();

    expect(await outputOf(run)).toBe('ACCEPT');
  });
});
