import { signIn } from '@millrace/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { violationsOn } from '../../support/browser/accessibility.ts';
import { useDashboard } from '../../support/browser/dashboard.ts';

const asks = 'graph: { id: question, nodes: [{ id: Reviewer, type: human, config: { description: Is it good? } }] }';
const dashboard = useDashboard();

let key: string;
beforeAll(async () => {
  key = await dashboard.api.keyOf('default', 'admin');
});

const heading = (name: string) => dashboard.page.getByRole('heading', { level: 1, name });

async function signInWith(secret: string): Promise<void> {
  const { page } = dashboard;
  await page.getByLabel('API key').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Expects the errors that the console prints for refused requests. */
const expectRefusals = () => dashboard.expectErrors('Failed to load resource');

describe('a signed-out browser', () => {
  it('is asked for a key, and then sees the requested page', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/runs?status=failed'));
    await heading('Sign in to Millrace').waitFor();

    await signInWith('mk_wrong');
    await page.getByRole('alert').getByText('The API key is unknown or no longer valid.').waitFor();
    await signInWith(key);

    await heading('Runs').waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('failed');
    await page.getByText('No run matches these filters.').waitFor();
    expectRefusals();
  });

  it('does not store the key', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/runs'));
    await heading('Sign in to Millrace').waitFor();
    await signInWith(key);
    await heading('Runs').waitFor();

    const state = JSON.stringify(await dashboard.context.storageState({ indexedDB: true }));
    expect(state).toContain('"name":"millrace"');
    expect(state).not.toContain(key);
    expect(await page.content()).not.toContain(key);
    expect(page.url()).not.toContain(key);
    expectRefusals();
  });

  it('is never redirected to another site by a link to the screen', async () => {
    const { page } = dashboard;
    await page.goto(dashboard.url('/ui/sign-in?to=//example.com/'));
    await heading('Sign in to Millrace').waitFor();
    await signInWith(key);

    await heading('Runs').waitFor();
    expect(page.url().startsWith(dashboard.url('/ui/runs'))).toBe(true);
    expectRefusals();
  });

  it('sees why it cannot sign in over plain HTTP from another machine', async () => {
    const { page } = dashboard;
    await page.route('**/v1/sign-in', (route) =>
      route.continue({ headers: { ...route.request().headers(), 'x-forwarded-for': '203.0.113.9' } }),
    );
    await page.goto(dashboard.url('/ui/sign-in'));

    await signInWith(key);

    await page.getByRole('alert').getByText('Use HTTPS').waitFor();
    await page.getByRole('link', { name: 'SIGN_IN_INSECURE' }).waitFor();
    expectRefusals();
  });
});

describe('an expired session', () => {
  it('is renewed in a dialog, and typed text is kept', async () => {
    const { page, context } = dashboard;
    await page.goto(dashboard.url('/ui/sign-in'));
    await signInWith(key);
    await heading('Runs').waitFor();
    const { runId } = (await dashboard.api.ask(key, '/v1/runs', { workflow: { yaml: asks }, input: 'A text' })).body;
    await page.goto(dashboard.url(`/ui/inbox/${runId}.a1`));
    const answer = page.getByRole('article').getByRole('textbox').first();
    await answer.fill('It is good');

    await context.clearCookies();
    await page.getByRole('article').getByRole('button', { name: 'Answer' }).click();
    await page.getByRole('dialog', { name: 'You are signed out' }).waitFor();
    await signInWith(key);

    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await answer.inputValue()).toBe('It is good');
    await page.getByRole('article').getByRole('button', { name: 'Answer' }).click();
    await expect.poll(async () => (await dashboard.api.ask(key, `/v1/runs/${runId}`)).body['status']).toBe('completed');
    expectRefusals();
  });

  it('is ended in all tabs by signing out in one', async () => {
    const { page, context } = dashboard;
    await page.goto(dashboard.url('/ui/sign-in'));
    await signInWith(key);
    await heading('Runs').waitFor();
    const other = await context.newPage();
    await other.goto(dashboard.url('/ui/inbox'));
    await other.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();

    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();

    await heading('Sign in to Millrace').waitFor();
    await other.getByLabel('API key').waitFor();
    expect((await context.cookies()).filter(({ value }) => value !== '')).toEqual([]);
    expectRefusals();
  });
});

describe('a caller without a scope', () => {
  it('sees the required scope and its own', async () => {
    const { page, context } = dashboard;
    const answers = await dashboard.api.keyOf('default', 'answer');
    await page.goto(dashboard.url('/ui/sign-in'));
    await signInWith(answers);

    await page.getByText('This needs a key with the scope "read"; yours has answer.').first().waitFor();

    await context.clearCookies();
    expectRefusals();
  });

  it('sees in the palette which scope an action needs, and is led nowhere by it', async () => {
    const { page, context } = dashboard;
    const reads = await dashboard.api.keyOf('default', 'read');
    await page.goto(dashboard.url('/ui/sign-in'));
    await signInWith(reads);
    await heading('Runs').waitFor();

    await page.keyboard.press('Control+k');
    const option = (name: RegExp) => page.getByRole('option', { name });
    await option(/^New schedule\s*needs the scope "run"$/).waitFor();
    const reason = 'This needs a key with the scope "run"; yours has read.';
    expect(
      await option(/^New schedule/)
        .locator('[title]')
        .getAttribute('title'),
    ).toBe(reason);
    expect(await option(/^New schedule/).getAttribute('aria-disabled')).toBe('true');
    expect(await option(/^Bulk actions/).getAttribute('aria-disabled')).toBe('false');
    await page.keyboard.type('start a run');
    await option(/^Start a run.*scope "run"/)
      .first()
      .waitFor();
    await page.keyboard.press('Enter');

    expect(await page.getByRole('dialog').count()).toBe(1);
    expect(new URL(page.url()).pathname).toBe('/ui/runs');
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await heading('Runs').waitFor();
    await context.clearCookies();
    expectRefusals();
  });

  it('asks every 15 seconds, as its bar says, for what it may not read', async () => {
    const page = await dashboard.ownPage();
    const answers = await dashboard.api.keyOf('default', 'answer');
    await page.clock.install();
    await page.goto(dashboard.url('/ui/sign-in'));
    await signInWith(answers);
    await page.getByText('This needs a key with the scope "read"; yours has answer.').first().waitFor();
    const word = page.locator('[data-connection="every 15 s"]');
    expect(await word.getAttribute('title')).toContain('lists are loaded every 15 s');
    const asked = new Set<string>();
    page.on('request', (request) => asked.add(new URL(request.url()).pathname));

    await page.clock.runFor(13_000);
    expect([...asked]).not.toContain('/v1/events');
    expect([...asked]).not.toContain('/v1/runs');
    await page.clock.runFor(3_000);

    await expect.poll(() => [...asked]).toEqual(expect.arrayContaining(['/v1/events', '/v1/runs']));
    expectRefusals();
  });

  it('is not signed in without the cookie', async () => {
    await expect(signIn({ url: dashboard.url('/') }, key)).rejects.toMatchObject({ code: 'ORIGIN_REFUSED' });
  });
});
