import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useDashboard } from '../../../support/browser/dashboard.ts';
import {
  cardOf,
  cursorBehind,
  editorOf,
  openEditor,
  paste,
  poem,
  problemsOf,
  publish,
  shownText,
} from '../../../support/browser/workflow-editor.ts';

const dashboard = useDashboard();

describe('the editor of workflows', () => {
  it('has its styles, in the colours of the page', async () => {
    await publish(dashboard, 'styled');
    const page = await openEditor(dashboard, '/ui/workflows/styled/edit');

    const styleOf = (part: string, property: string) =>
      page
        .locator(part)
        .evaluate(
          (element, name) => element.ownerDocument.defaultView?.getComputedStyle(element).getPropertyValue(name),
          property,
        );
    const family = await styleOf('.cm-scroller', 'font-family');
    const gutter = await styleOf('.cm-gutters', 'display');

    expect(family).toContain('JetBrains Mono');
    expect(gutter).toBe('flex');
  });

  it('shows on a phone how many problems a text has, and lists them below it, before its graph', async () => {
    await publish(dashboard, 'small');
    const page = await dashboard.ownPage({ viewport: { width: 390, height: 844 }, hasTouch: true });
    await page.goto(dashboard.url('/ui/workflows/small/edit'));
    await editorOf(page).waitFor();
    await paste(page, poem.replace('type: human', 'type: humn'));
    await problemsOf(page).first().waitFor();
    await page.locator('h1').scrollIntoViewIfNeeded();

    const topOf = async (target: Locator) => (await target.boundingBox())?.y ?? Number.NaN;
    const count = page.getByRole('button', { name: /^1 error/ });
    expect(await topOf(count)).toBeLessThan(await topOf(editorOf(page)));
    // The text begins in the upper half of the screen.
    expect(await topOf(page.locator('.cm-editor'))).toBeLessThan(422);
    const list = page.getByRole('region', { name: 'What the server says' });
    const text = await page.locator('.cm-editor').boundingBox();
    expect((await topOf(list)) - (text?.y ?? 0) - (text?.height ?? 0)).toBeLessThan(60);
    expect(await topOf(list)).toBeLessThan(await topOf(page.getByRole('region', { name: 'Graph of the text' })));
    await count.click();
    await expect.poll(async () => (await topOf(list)) + 60).toBeLessThan(844);
    await page.getByRole('button', { name: 'More for the text' }).click();
    await page.getByRole('menuitem', { name: 'Download' }).waitFor();
  });

  it('lists the problems of a text with code and line, leads to them, and keeps the last valid graph, dimmed', async () => {
    await publish(dashboard, 'faulty');
    const page = await openEditor(dashboard, '/ui/workflows/faulty/edit');
    await cardOf(page, 'Reviewer').waitFor();

    await cursorBehind(page, 'type: human');
    await page.keyboard.type('x');

    const problem = problemsOf(page).first();
    await problem.getByText('E_NODE_TYPE_UNKNOWN').waitFor();
    await problem.getByText('line 9').waitFor();
    await page.locator('[data-outdated="true"]').getByText('As of the last text without errors').waitFor();
    expect(await cardOf(page, 'Reviewer').count()).toBe(1);
    await page.locator('.cm-lintRange-error').waitFor();
    await page.locator('.cm-line').first().click();
    await problem.getByRole('button', { name: 'line 9:13' }).click();
    await page.locator('.cm-activeLine', { hasText: 'type: humanx' }).waitFor();

    await page.keyboard.press('End');
    await page.keyboard.type(': {[');
    await problemsOf(page).getByText('E_YAML_SYNTAX').first().waitFor();
    for (let typed = 0; typed < 'x: {['.length; typed += 1) await page.keyboard.press('Backspace');

    await page
      .getByText('No problems')
      .or(page.getByText(/^\d warnings?$/))
      .waitFor();
    await page.locator('[data-outdated="false"]').waitFor();
  });

  it('leads from a node to its line and from a line to its node, and draws what is written', async () => {
    await publish(dashboard, 'drawn');
    const page = await openEditor(dashboard, '/ui/workflows/drawn/edit');

    await cardOf(page, 'Reviewer').getByRole('button', { name: 'Reviewer, human' }).click();

    await page.locator('.cm-activeLine', { hasText: 'id: Reviewer' }).waitFor();
    await page.locator('.cm-line', { hasText: 'id: Writer' }).click();
    await page.locator('[data-node="Writer"][data-chosen="true"]').waitFor();
    const longer = poem.replace('  edges:', '    - { id: Editor, type: passthrough, config: {} }\n  edges:');
    await paste(page, `${longer}    - { from: Reviewer, to: Editor }\n`);
    await cardOf(page, 'Editor').waitFor();
  });

  it('completes fields, values and ids of nodes, and explains them', async () => {
    await publish(dashboard, 'completed');
    const page = await openEditor(dashboard, '/ui/workflows/completed/edit');
    const option = (name: string) =>
      page.locator('.cm-tooltip-autocomplete [role="option"]', { hasText: name }).first();

    await cursorBehind(page, 'config: { description: Is it good? }');
    await page.keyboard.type('\n');
    await page.keyboard.type('context_win');
    await option('context_window').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Shift+k');
    await cursorBehind(page, 'to: Reviewer');
    await page.keyboard.type('\n- { from: ');
    await page.keyboard.press('Control+Space');
    await option('Writer').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.cm-line', { hasText: 'type: human' }).getByText('type').first().hover();
    await page.locator('.cm-explanation').getByText(/./).first().waitFor();
  });

  it('keeps the draft through a reload, says when it was saved, and drops it only when asked', async () => {
    await publish(dashboard, 'kept');
    const page = await openEditor(dashboard, '/ui/workflows/kept/edit');

    await cursorBehind(page, 'A comment that stays');
    await page.keyboard.type(' for ever');
    await page.reload();

    await editorOf(page).getByText('A comment that stays for ever').waitFor();
    await page.getByText(/draft saved here/).waitFor();
    await page.getByRole('button', { name: 'Drop the draft' }).click();
    await page.getByText('as published').waitFor();
    await expect.poll(() => shownText(page)).not.toContain('for ever');
  });

  it('formats a text with its comments, and leaves one alone that is no YAML', async () => {
    await publish(dashboard, 'formatted');
    const page = await openEditor(dashboard, '/ui/workflows/formatted/edit');
    await paste(
      page,
      'graph:\n    id:   poem # the name\n    nodes:\n        - {id: A,   type: literal, config: {content: yes}}\n',
    );

    await page.getByRole('button', { name: 'Format', exact: true }).click();

    await expect.poll(() => shownText(page)).toContain('  id: poem # the name');
    expect(await shownText(page)).toContain('- { id: A, type: literal, config: { content: yes } }');
    await paste(page, 'graph: [');
    await page.getByRole('button', { name: 'Format', exact: true }).click();
    await page.getByText('This is no YAML').waitFor();
    expect(await shownText(page)).toContain('graph: [');
  });

  it('begins a line below the keys beside it, and deeper after a key that opens a mapping', async () => {
    await publish(dashboard, 'deeper');
    const page = await openEditor(dashboard, '/ui/workflows/deeper/edit');
    const typed = page.locator('.cm-activeLine');

    await cursorBehind(page, 'graph:');
    await page.keyboard.type('\ndescription: short');
    await expect.poll(() => typed.textContent()).toBe('  description: short');
    await page.keyboard.press('Home');
    await page.keyboard.type('# note\n');

    await expect.poll(() => typed.textContent()).toBe('  description: short');
  });

  it('is left by Escape and Tab, while Tab alone indents', async () => {
    await publish(dashboard, 'left');
    const page = await openEditor(dashboard, '/ui/workflows/left/edit');
    await page.locator('.cm-line').first().click();
    await page.keyboard.press('Tab');
    await editorOf(page).and(page.locator(':focus')).waitFor();

    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');

    await expect.poll(() => editorOf(page).and(page.locator(':focus')).count()).toBe(0);
  });

  it('stays responsive in a text of two thousand lines', async () => {
    const nodes = Array.from(
      { length: 400 },
      (_, at) =>
        `    - id: N${at}\n      type: literal\n      description: Number ${at}\n      config:\n        content: Words\n`,
    );
    const edges = Array.from({ length: 399 }, (_, at) => `    - { from: N${at}, to: N${at + 1} }\n`);
    await publish(dashboard, 'long', {
      yaml: `graph:\n  id: long\n  nodes:\n${nodes.join('')}  edges:\n${edges.join('')}`,
    });
    const page = await openEditor(dashboard, '/ui/workflows/long/edit');
    await cardOf(page, 'N0').waitFor();
    await cursorBehind(page, 'Number 0');

    const took = await editorOf(page).evaluate(async (element) => {
      const { document, requestAnimationFrame } = element.ownerDocument.defaultView ?? {};
      const times: number[] = [];
      for (const letter of 'a text that is typed here') {
        const begun = performance.now();
        document?.execCommand('insertText', false, letter);
        times.push(performance.now() - begun);
        await new Promise((resolve) => requestAnimationFrame?.(() => resolve(undefined)));
      }
      return times.sort((a, b) => a - b);
    });

    expect(took[Math.floor(took.length / 2)]).toBeLessThan(16);
  });
});
