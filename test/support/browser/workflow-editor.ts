import type { Locator, Page } from 'playwright-core';
import type { Dashboard } from './dashboard.ts';

/** An agent with a real model, and a person. */
export const poem = `# A comment that stays
graph:
  id: poem
  nodes:
    - id: Writer
      type: agent
      config: { provider: openai, name: gpt-x, base_url: https://api.example.com, api_key: "\${API_KEY}" }
    - id: Reviewer
      type: human
      config: { description: Is it good? }
  edges:
    - { from: Writer, to: Reviewer }
`;

/** Publishes a text over HTTP. Returns the hash of its version. */
export async function publish(
  dashboard: Dashboard,
  name: string,
  { yaml = poem, note }: { yaml?: string; note?: string } = {},
) {
  const response = await fetch(dashboard.url(`/v1/workflows/${name}`), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ yaml, note }),
  });
  return ((await response.json()) as { readonly hash: string }).hash;
}

/** The text box of the editor. */
export const editorOf = (page: Page): Locator => page.getByRole('textbox', { name: 'Workflow YAML' });

/** The problems that the editor lists. */
export const problemsOf = (page: Page): Locator => page.getByRole('list', { name: 'Problems' }).getByRole('listitem');

/** The card of a node in the picture of the text. */
export const cardOf = (page: Page, node: string): Locator => page.locator(`[data-node="${node}"]`);

/** Opens a screen with an editor. */
export async function openEditor(dashboard: Dashboard, path: string): Promise<Page> {
  const { page } = dashboard;
  await page.goto(dashboard.url(path));
  await editorOf(page).waitFor();
  return page;
}

/** Waits until the server has found no errors in the text. */
export const isValid = (page: Page): Promise<void> =>
  page
    .getByRole('button', { name: 'Publish…', disabled: false })
    .and(page.locator('[aria-disabled="false"]'))
    .waitFor();

/** Replaces the whole text, as somebody does who pastes. */
export async function paste(page: Page, text: string): Promise<void> {
  await editorOf(page).click();
  await page.keyboard.press('Control+a');
  await editorOf(page).evaluate((element, pasted) => {
    const view = element.ownerDocument.defaultView;
    if (view === null) return;
    const data = new view.DataTransfer();
    data.setData('text/plain', pasted);
    element.dispatchEvent(new view.ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
}

/** Puts the cursor at the end of the first line with a text. */
export async function cursorBehind(page: Page, text: string): Promise<void> {
  await page.locator('.cm-line', { hasText: text }).first().click();
  await page.keyboard.press('End');
}

/** Returns the lines that the editor shows, one after the other. */
export const shownText = async (page: Page): Promise<string> => (await page.locator('.cm-content').textContent()) ?? '';
