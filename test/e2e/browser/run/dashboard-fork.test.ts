import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { comparedRow, finishedRun, talk } from '../../../support/browser/compared-runs.ts';
import { useDashboard } from '../../../support/browser/dashboard.ts';
import { holdCopies } from '../../../support/runs/held-copies.ts';
import { turningText } from '../../../support/runs/turning.ts';

const dashboard = useDashboard({ journalWindow: 60 });

const finished = (yaml: string, input?: string) => finishedRun(dashboard, yaml, input);
const rowOf = (node: string) => comparedRow(dashboard, node);

describe('a fork from the panel of a node', () => {
  it('gives the activation another output, leads to the new run, and from there to the comparison with one key', async () => {
    const { page } = dashboard;
    const run = await finished(talk);
    await page.goto(dashboard.url(`/ui/runs/${run}/graph?n=Reviewer`));

    await page.getByRole('complementary', { name: 'Node Reviewer' }).getByRole('button', { name: 'Fork here' }).click();
    const dialog = page.getByRole('dialog', { name: /^Fork at Reviewer/ });
    await dialog.getByRole('button', { name: 'Change the output' }).click();
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

  it('executes the activation again that is shown', async () => {
    const { page } = dashboard;
    const run = await finished(talk);
    await page.goto(dashboard.url(`/ui/runs/${run}/graph?n=Reviewer&a=a2`));

    await page.getByRole('button', { name: 'Fork here' }).click();
    const dialog = page.getByRole('dialog', { name: 'Fork at Reviewer, a2' });
    await dialog.getByRole('button', { name: 'Run it again' }).click();
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click();

    await page.getByLabel('Facts').getByText('fork of').waitFor();
    expect(page.url()).not.toContain(run);
  });

  it('is reached from the list by keys alone, and leads to the comparison', async () => {
    const { page } = dashboard;
    const run = await finished(talk, 'Only keys');
    const focused = (name: RegExp) =>
      expect
        .poll(
          async () => {
            const label = await page.evaluate(
              "(({ activeElement: at }) => at?.getAttribute('aria-label') ?? at?.labels?.[0]?.textContent ?? at?.textContent)(document)",
            );
            if (name.test(String(label))) return true;
            await page.keyboard.press('Tab');
            return false;
          },
          { timeout: 15_000, interval: 5 },
        )
        .toBe(true);
    await page.goto(dashboard.url('/ui/runs'));
    await page.getByRole('link', { name: 'Only keys' }).waitFor();

    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.startsWith(`/ui/runs/${run}`));
    await page.locator('[data-node="Reviewer"]').waitFor();
    await focused(/^Writer, agent/);
    await page.keyboard.press('ArrowRight');
    await focused(/^Reviewer, agent/);
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Node Reviewer' }).waitFor();
    await page.keyboard.press('f');
    const prompt = page.getByRole('dialog', { name: /^Fork at Reviewer/ }).getByRole('textbox', { name: 'Prompt' });
    await prompt.waitFor();
    await focused(/^Prompt/);
    await focused(/^Change the output/);
    await page.keyboard.press('Enter');
    await focused(/^Output/);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('ACCEPT');
    await focused(/^Fork$/);
    await page.keyboard.press('Enter');
    await page.getByText('fork of').waitFor();
    await page.keyboard.press('d');

    await page.getByRole('heading', { name: 'Compare', level: 1 }).waitFor();
    await rowOf('Reviewer').getByText('changed').waitFor();
  });

  it('executes the activation again where nothing else is wanted, and copies itself as a command', async () => {
    const { page, context } = dashboard;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const run = await finished(talk);
    await page.goto(dashboard.url(`/ui/runs/${run}/activations?a=a2`));
    await page.getByRole('complementary', { name: 'Reviewer · a2' }).waitFor();

    await page.keyboard.press('f');
    const dialog = page.getByRole('dialog', { name: /^Fork at Reviewer/ });
    await dialog.getByRole('button', { name: 'Run it again' }).click();
    await dialog.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('menuitem', { name: 'Copy as CLI' }).click();

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
    await dialog.getByRole('button', { name: 'Change the output' }).click();
    await dialog.getByText('1 activation, 2 calls').waitFor();
    await dialog.getByRole('button', { name: 'Change the input' }).click();
    expect(await dialog.getByRole('textbox', { name: 'Input' }).inputValue()).toBe('A first draft of words.');
    await dialog.getByRole('button', { name: 'Change the prompt or model' }).click();
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
    await drawer.getByRole('button', { name: 'Replay from here' }).click();

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

describe('a fork and a replay of a long run', () => {
  it('show how much of its history is copied', async () => {
    const { page } = dashboard;
    const run = await finished(turningText(60));
    await page.goto(dashboard.url(`/ui/runs/${run}/activations?a=a50`));
    await page.getByRole('button', { name: 'Fork here' }).click();
    const dialog = page.getByRole('dialog', { name: /^Fork at/ });
    const held = holdCopies(dashboard.api.runtime);
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click();

    await dialog.getByText(/^Copied \d+ of 50 activations\.$/).waitFor();
    const progress = dialog.getByRole('progressbar', { name: 'Progress' });
    expect(await progress.getAttribute('max')).toBe('50');
    // It is as wide as what is above it.
    const widthOf = async (target: Locator) => (await target.boundingBox())?.width;
    expect(await widthOf(progress)).toBe(await widthOf(dialog.getByRole('textbox')));
    held.release();
    await page.getByText('fork of').waitFor();
    const fork = new URL(page.url()).pathname.split('/').at(3) ?? '';
    await fetch(dashboard.url(`/v1/runs/${fork}?wait=60s`));

    await page.goto(dashboard.url(`/ui/runs/${run}/graph`));
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    const replaying = holdCopies(dashboard.api.runtime);
    await page.getByRole('button', { name: 'Start the replay' }).click();
    await page.getByText(/^Copied \d+ of 121 activations\.$/).waitFor();
    replaying.release();
    await page.getByText('replay of').waitFor();
  });
});
