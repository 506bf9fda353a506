import { EventEmitter, once } from 'node:events';
import { describe, expect, inject, it } from 'vitest';
import { violationsOn } from '../../../support/browser/accessibility.ts';
import { useDashboard } from '../../../support/browser/dashboard.ts';
import {
  cardOf,
  cursorBehind,
  editorOf,
  isValid,
  openEditor,
  paste,
  poem,
  problemsOf,
  publish,
  shownText,
} from '../../../support/browser/workflow-editor.ts';

const dashboard = useDashboard();
/** Requests that check a text. */
const checks = '**/v1/workflows/validate*';

const textOf = async (name: string): Promise<string> => {
  const response = await fetch(dashboard.url(`/v1/workflows/${name}`));
  return ((await response.json()) as { readonly yaml: string }).yaml;
};

describe('the text of a workflow', () => {
  it('tries a text with scripted models, as a temporary run that no list shows, or one that is kept', async () => {
    await publish(dashboard, 'tried');
    const page = await openEditor(dashboard, '/ui/workflows/tried/edit');
    await cardOf(page, 'Writer').waitFor();
    await page
      .getByText(/warning|No problems/)
      .first()
      .waitFor();

    await page.getByRole('button', { name: 'Try…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Try this text' });
    await dialog.getByLabel('What each model answers').fill('Four lines');
    await dialog.getByLabel('Task').fill('About rain');
    await dialog.getByRole('button', { name: 'Start' }).click();

    const outcome = dialog.getByRole('region', { name: 'Outcome' });
    await outcome.getByText('It waits for an answer of a person').waitFor();
    await dialog.getByRole('link', { name: 'Open the run' }).click();
    await page.waitForURL(/\/ui\/runs\/run_[^/]+\/graph/);
    await page.getByRole('link', { name: 'draft', exact: true }).waitFor();
    await page.getByText('Four lines').first().waitFor();
    await page.getByText(/temporary: removed in 59 m/).waitFor();
    const runs = async (): Promise<number> => {
      const listed = await fetch(dashboard.url('/v1/runs?tag=draft'));
      return ((await listed.json()) as { readonly data: readonly unknown[] }).data.length;
    };
    expect(await runs()).toBe(0);

    await page.goBack();
    await editorOf(page).waitFor();
    await page.getByRole('button', { name: 'Try…' }).click();
    await dialog.getByRole('button', { name: 'Keep as a run' }).click();
    await dialog.getByRole('button', { name: 'Start' }).click();
    await outcome.getByRole('status').waitFor();
    expect(await runs()).toBe(1);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('shows the error of a text that is tried, keeps what the try was given, and publishes nothing of it', async () => {
    const failing =
      'graph: { id: failing, nodes: [{ id: Writer, type: agent, config: { provider: scripted, name: parrot, params: { default: { error: { status: 400, message: Too short. } } } } }] }';
    await publish(dashboard, 'failing', { yaml: failing });
    const page = await openEditor(dashboard, '/ui/workflows/failing/edit');
    await paste(page, `${failing} `);
    await isValid(page);

    await page.getByRole('button', { name: 'Try…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Try this text' });
    await dialog.getByLabel('Task').fill('About rain');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await dialog.getByRole('alert').getByText('Too short.').waitFor();

    expect(await dialog.getByRole('button', { name: 'Publish' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Try again' }).click();
    expect(await dialog.getByLabel('Task').inputValue()).toBe('About rain');
    await page.keyboard.press('Escape');
  });

  it('opens a dialog for what was just typed once the server has checked it', async () => {
    await publish(dashboard, 'hurried');
    const page = await openEditor(dashboard, '/ui/workflows/hurried/edit');
    await isValid(page);
    const release = new EventEmitter();
    await page.route(checks, async (route) => {
      await once(release, 'now');
      await route.continue();
    });

    const button = page.getByRole('button', { name: 'Publish…' });
    await paste(page, poem.replace('that stays', 'typed last'));
    await button.dispatchEvent('click');
    await page.locator('button[title="The text is being checked."]', { hasText: 'Publish…' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    release.emit('now');

    await page.getByRole('dialog', { name: 'Publish hurried' }).getByText('A comment typed last').waitFor();
    await page.keyboard.press('Escape');
    await page.unroute(checks);
  });

  it('publishes with a note after it has shown the changes', async () => {
    await publish(dashboard, 'noted', { note: 'First' });
    const page = await openEditor(dashboard, '/ui/workflows/noted/edit');
    await cursorBehind(page, 'A comment that stays');
    await page.keyboard.type('!');
    await page.getByText(/draft saved here/).waitFor();
    await page
      .getByText(/warning|No problems/)
      .first()
      .waitFor();

    await page.getByRole('button', { name: 'Publish…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish noted' });
    await dialog.getByText('A comment that stays!').waitFor();
    await dialog.getByLabel('Note').fill('Louder');
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();

    await dialog.waitFor({ state: 'detached' });
    await page.getByText('as published').waitFor();
    expect(await textOf('noted')).toContain('stays!');
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('table', { name: 'Versions' }).getByText('Louder').waitFor();
  });

  it('says who was first when somebody else has published, and shows the three texts', async () => {
    await publish(dashboard, 'raced');
    const page = await openEditor(dashboard, '/ui/workflows/raced/edit');
    await cursorBehind(page, 'A comment that stays');
    await page.keyboard.type(' mine');
    await page.getByText(/draft saved here/).waitFor();
    await page
      .getByText(/warning|No problems/)
      .first()
      .waitFor();
    await publish(dashboard, 'raced', {
      yaml: poem.replace('A comment that stays', 'A comment that is theirs').trimEnd(),
      note: 'Theirs',
    });

    await page.getByRole('button', { name: 'Publish…' }).click();

    const dialog = page.getByRole('dialog', { name: 'Publish raced' });
    await dialog.getByText(/was first: raced is at/).waitFor();
    await dialog.getByText('A comment that is theirs').waitFor();
    expect(await dialog.getByRole('listitem').allInnerTexts()).not.toContainEqual(expect.stringContaining('newline'));
    await dialog.getByRole('button', { name: 'What I changed' }).click();
    await dialog.getByText('A comment that stays mine').waitFor();
    await dialog.getByRole('button', { name: 'Keep mine, and publish it over theirs' }).click();
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await textOf('raced')).toContain('stays mine');
  });

  it('offers both texts when another tab has changed the same draft', async () => {
    await publish(dashboard, 'twice');
    const page = await openEditor(dashboard, '/ui/workflows/twice/edit');
    const other = await dashboard.context.newPage();
    await other.goto(dashboard.url('/ui/workflows/twice/edit'));
    await editorOf(other).waitFor();
    await cursorBehind(page, 'A comment that stays');
    await page.keyboard.type(' here');
    await page.getByText(/draft saved here/).waitFor();

    const notice = other.getByRole('alert', { name: 'Another tab has changed this draft' });
    await notice.waitFor();
    await cursorBehind(other, 'A comment that stays');
    await other.keyboard.type(' there');
    await notice.getByRole('button', { name: 'Compare them' }).click();
    await notice.getByText('A comment that stays here').waitFor();
    await notice.getByText('A comment that stays there').waitFor();
    await notice.getByRole('button', { name: 'Keep the text of this tab' }).click();
    await notice.waitFor({ state: 'detached' });

    const rival = page.getByRole('alert', { name: 'Another tab has changed this draft' });
    await rival.getByRole('button', { name: 'Take the text of the other tab' }).click();
    await expect.poll(() => shownText(page)).toContain('A comment that stays there');
    expect(await rival.count()).toBe(0);
  });

  it('publishes a new workflow under a name', async () => {
    const page = await openEditor(dashboard, '/ui/workflows/new');
    await page.getByLabel('Name').fill('brand-new');
    await page.getByText('No problems').waitFor();

    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();

    await page.waitForURL(/\/ui\/workflows\/brand-new\/versions/);
    dashboard.expectErrors('404');
    await page.getByRole('table', { name: 'Versions' }).getByText('current').waitFor();
  });

  it('recognises a pasted file of ChatDev, and says what is missing', async () => {
    const page = await openEditor(dashboard, '/ui/workflows/new');
    await paste(
      page,
      `version: 0.4.0
graph:
  id: chatdev_demo
  is_majority_voting: false
  log_level: INFO
  nodes:
    - id: Writer
      type: agent
      config: { provider: openai, name: "\${MODEL_NAME}", base_url: "\${BASE_URL}", api_key: "\${API_KEY}" }
    - id: Save
      type: agent
      config: { provider: openai, name: m, tooling: [{ type: function, config: { tools: [{ name: does_not_exist }] } }] }
  edges: [{ from: Writer, to: Save, keep_message: true }]
`,
    );

    const note = page.getByRole('region', { name: 'This is a workflow of ChatDev' });
    await note.getByText('MODEL_NAME').waitFor();
    await note.getByText('does_not_exist').waitFor();
    await note.getByRole('button', { name: /compat: chatdev/ }).click();
    await expect.poll(() => shownText(page)).toContain('  compat: chatdev');
    await page.reload();
    await note.getByText('MODEL_NAME').waitFor();
  });

  it('shows hostile texts as they are', async () => {
    const hostile = `graph:
  id: hostile
  nodes:
    - { id: "<img src=x onerror=alert(1)>", type: literal, config: { content: "</script><script>alert(2)</script>" } }
    - { id: "javascript:alert(3)", type: "<svg onload=alert(4)>", config: {} }
`;
    const page = await openEditor(dashboard, '/ui/workflows/new');
    page.on('dialog', () => expect.fail('a script of the text was executed'));

    await paste(page, hostile);

    await problemsOf(page).getByText('<svg onload=alert(4)>').first().waitFor();
    await paste(page, hostile.replace('"<svg onload=alert(4)>"', 'passthrough'));
    await cardOf(page, '<img src=x onerror=alert(1)>').or(page.getByText('E_START_AMBIGUOUS')).first().waitFor();
    expect(await page.locator('img[src="x"], svg[onload]').count()).toBe(0);
  });

  it.each(inject('appearances'))(
    'violates nothing that axe can tell, with its dialogs, on phones too: %s',
    async (colorScheme) => {
      await publish(dashboard, 'axed');
      await publish(dashboard, 'axed', { yaml: poem.replace('stays', 'remains'), note: 'Second' });
      const context = await dashboard.browser.newContext({ colorScheme, reducedMotion: 'reduce' });
      const page = await context.newPage();
      const faults: Record<string, readonly string[]> = {};
      const look = async (state: string) => {
        const found = await violationsOn(page, colorScheme);
        if (found.length > 0) faults[state] = found;
      };
      await page.goto(dashboard.url('/ui/workflows'));
      await page.getByRole('table', { name: 'Workflows' }).waitFor();
      await look('list');
      await page.goto(dashboard.url('/ui/workflows/axed/versions'));
      await page.getByRole('button', { name: 'Publish again' }).click();
      await page.getByRole('dialog').getByText('added').first().waitFor();
      await look('publish again');
      await page.goto(dashboard.url('/ui/workflows/axed/edit'));
      await editorOf(page).click();
      await page.locator('[data-node="Reviewer"]').waitFor();
      await page.keyboard.type('x');
      await problemsOf(page).first().waitFor();
      await look('problems');
      await page.keyboard.press('Backspace');
      await page
        .getByText(/^\d warnings?$|^No problems$/)
        .first()
        .waitFor();
      await page.locator('[data-outdated="false"]').waitFor();
      for (const [button, dialog] of [
        ['Try…', 'Try this text'],
        ['Publish…', 'Publish axed'],
      ] as const) {
        await page.getByRole('button', { name: button }).click();
        await page.getByRole('dialog', { name: dialog }).waitFor();
        await look(dialog);
        await page.keyboard.press('Escape');
      }
      for (const path of ['workflows', 'workflows/axed/versions', 'workflows/axed/edit', 'workflows/new']) {
        await page.setViewportSize({ width: 390, height: 800 });
        await page.goto(dashboard.url(`/ui/${path}`));
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.locator('table, .cm-editor').first().waitFor();
        const [scroll = 0, client = 0] = await page
          .locator('html')
          .evaluate((html) => [html.scrollWidth, html.clientWidth]);
        if (scroll > client) faults[`${path} on a phone`] = [`scrolls sideways: ${scroll}`];
      }
      await context.close();

      expect(faults).toEqual({});
    },
  );
});
