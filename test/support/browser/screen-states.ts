import type { Page, Route } from 'playwright-core';
import type { DemoRuns } from '../demo-ui/add-demo-data.ts';

/** A screen of the dashboard, and which states it can be in. */
export interface StatefulScreen {
  /** Path below `/ui/`. */
  readonly path: string;
  /** It shows nothing of the server before somebody acts: then only sessions and connections can fail. */
  readonly isStatic?: true;
  /** It is a form that is there at once, and filled with choices once they have loaded. */
  readonly isForm?: true;
  /** It shows one thing, which may be gone. */
  readonly hasSubject?: true;
}

/** A state of a screen that something outside of it causes. */
export interface ScreenState {
  readonly name: string;
  /** Tells if a screen can be in it. */
  applies(screen: StatefulScreen): boolean;
  /** Opens a screen in this state, and waits until the screen says so. */
  reach(page: Page, address: string): Promise<void>;
}

/** Requests that are answered as ever: about the caller, and the stream of all that happens. */
const isFrame = (url: string): boolean => /\/v1\/(me|events|sign-in)(\?|$)/.test(url);

async function answer(page: Page, how: (route: Route) => Promise<void>): Promise<void> {
  await page.route('**/v1/**', (route) => (isFrame(route.request().url()) ? route.continue() : how(route)));
}

const refuse = (status: number, code: string, detail: string) => (route: Route) =>
  route.fulfill({
    status,
    contentType: 'application/problem+json',
    body: JSON.stringify({ status, code, detail, requestId: 'req-42', title: '', type: '', instance: '' }),
  });

const alert = (page: Page) => page.locator('main').getByRole('alert').first();

/** States of the screens: how each comes about, and what shows it. */
export const screenStates: readonly ScreenState[] = [
  {
    name: 'loading',
    applies: ({ isStatic, isForm }) => isStatic !== true && isForm !== true,
    async reach(page, address) {
      await answer(page, () => new Promise(() => undefined));
      await page.goto(address);
      await page.getByRole('status', { name: 'Loading' }).first().waitFor();
    },
  },
  {
    name: 'error',
    applies: ({ isStatic }) => isStatic !== true,
    async reach(page, address) {
      await answer(page, refuse(500, 'INTERNAL', 'The server had an internal error.'));
      await page.goto(address);
      await alert(page).getByText('request req-42').waitFor();
    },
  },
  {
    name: 'refused',
    applies: ({ isStatic }) => isStatic !== true,
    async reach(page, address) {
      await answer(page, refuse(403, 'SCOPE_MISSING', 'This needs a key with "admin"; yours has "answer".'));
      await page.goto(address);
      await alert(page).getByText('This needs a key with "admin"').waitFor();
      await alert(page).getByRole('link', { name: 'SCOPE_MISSING' }).waitFor();
    },
  },
  {
    name: 'gone',
    applies: ({ hasSubject }) => hasSubject === true,
    async reach(page, address) {
      await answer(page, refuse(404, 'RUN_UNKNOWN', 'There is nothing of this name.'));
      await page.goto(address);
      await alert(page).getByText('Not found').waitFor();
      await alert(page).getByText('There is nothing of this name.').waitFor();
    },
  },
  {
    name: 'signed out',
    applies: () => true,
    async reach(page, address) {
      // A page that does not know its caller yet has nothing to lose, and asks for a key on a screen of its own.
      const account = page.getByRole('button', { name: /^Account: .+ · / });
      const live = page.locator('[data-connection="live"]');
      await answer(page, async (route) => {
        await Promise.all([account.waitFor(), live.waitFor()]);
        await refuse(401, 'KEY_UNKNOWN', 'The session has ended.')(route);
      });
      await page.goto(address);
      await page.getByRole('dialog', { name: 'You are signed out' }).waitFor();
    },
  },
  {
    name: 'server away',
    applies: () => true,
    async reach(page, address) {
      await page.goto(address);
      await page.locator('main h1').waitFor();
      await page.locator('[data-connection="live"]').waitFor();
      await page.context().setOffline(true);
      await page.getByText('The server does not answer.').waitFor();
      await page.locator('[data-connection="reconnecting"]').getByText('as of').waitFor();
    },
  },
];

/** Screens with the data of the demo. */
export const statefulScreens = ({ waiting, completed }: DemoRuns): readonly StatefulScreen[] => [
  { path: 'runs' },
  { path: 'runs/new?workflow=newsroom' },
  ...tabs.map((tab) => ({ path: `runs/${waiting}/${tab}`, hasSubject: true as const })),
  { path: `runs/${completed}/compare/${waiting}`, hasSubject: true },
  { path: 'inbox' },
  { path: `inbox/${waiting}.a8`, hasSubject: true },
  { path: 'workflows' },
  { path: 'workflows/new', isStatic: true },
  ...['edit', 'versions', 'runs'].map((part) => ({ path: `workflows/newsroom/${part}`, hasSubject: true as const })),
  { path: 'batches' },
  { path: 'batches/new', isStatic: true },
  { path: 'batches/reminders', hasSubject: true },
  { path: 'schedules' },
  { path: 'schedules/new', isForm: true },
  { path: 'schedules/morning-news', hasSubject: true },
  { path: 'webhooks' },
  { path: 'webhooks/new', isStatic: true },
  { path: 'bulk' },
  { path: 'usage' },
  { path: 'operations' },
  { path: 'operations/queues' },
  { path: 'operations/workers' },
  { path: 'operations/refused' },
  { path: 'operations/limits' },
  { path: 'settings/appearance', isStatic: true },
  { path: 'settings/keys' },
  { path: 'settings/about', isStatic: true },
];

const tabs = ['graph', 'timeline', 'activations', 'conversation', 'journal', 'files', 'money', 'yaml'];
