import type { Page } from 'playwright-core';
import type { DemoRuns } from './add-demo-data.ts';

/** A screen with a state of its data, and a text that is there once it has loaded. */
export interface DemoScreen {
  readonly path: string;
  readonly text: string;
}

/** All screens of the dashboard, with the runs of the demo. */
export const screensOf = (runs: DemoRuns): readonly DemoScreen[] => [
  { path: 'runs', text: 'The summer festival' },
  { path: 'runs?status=failed', text: 'Invoice 2026-117' },
  { path: 'runs?status=cancelled', text: 'No run matches' },
  { path: 'inbox', text: 'Is this plan good to be sent?' },
  { path: 'batches', text: 'reminders' },
  { path: 'batches/reminders', text: 'Letter to reader' },
  { path: 'batches/new', text: 'Drop a table here' },
  { path: 'schedules', text: 'morning-news' },
  { path: 'schedules/morning-news', text: 'At 07:00' },
  { path: 'webhooks', text: 'There is no webhook yet.' },
  { path: 'bulk', text: 'No bulk action in the last week.' },
  { path: 'settings', text: 'Settings' },
  { path: 'nowhere', text: 'There is no such screen.' },
  ...Object.values(runs).flatMap((run) => tabs.map((tab) => ({ path: `runs/${run}/${tab}`, text: '' }))),
];

const tabs = ['graph', 'timeline', 'activations', 'conversation', 'journal', 'files', 'money', 'yaml'];

/** Opens a screen, and returns what is wrong with its looks. */
export async function problemsOn(page: Page, base: string, { path, text }: DemoScreen): Promise<readonly string[]> {
  await page.goto(`${base}/ui/${path}`);
  const main = page.locator('main');
  await (text === '' ? main.getByRole('heading', { level: 1 }) : main.getByText(text).first()).waitFor();
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
  return page.locator(':root').evaluate(problemsIn);
}

/** The part of an element that is looked at; it runs in the page, whose types tests do not know. */
interface PageElement {
  readonly ownerDocument: { readonly defaultView: View };
  readonly parentElement: PageElement | null;
  readonly scrollWidth: number;
  readonly textContent: string;
  readonly childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string }>;
  getBoundingClientRect(): {
    readonly left: number;
    readonly right: number;
    readonly width: number;
    readonly height: number;
  };
  querySelectorAll(selector: string): Iterable<PageElement>;
  closest(selector: string): PageElement | null;
}

interface View {
  readonly innerWidth: number;
  getComputedStyle(element: PageElement): { readonly overflowX: string };
}

/** Returns the elements that are too wide for the page, texts that its edges cut, and on phones buttons that are too low for a finger. */
function problemsIn(root: PageElement): readonly string[] {
  const view = root.ownerDocument.defaultView;
  const problems: string[] = [];
  const tooWide = root.scrollWidth - view.innerWidth;
  if (tooWide > 0) problems.push(`the page is ${tooWide} pixels too wide`);
  const scrolls = (element: PageElement | null): boolean =>
    element !== null && (view.getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement));
  for (const element of root.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some(
      ({ nodeType, textContent }) => nodeType === 3 && textContent.trim() !== '',
    );
    const { right, left, width } = element.getBoundingClientRect();
    if (!hasText || width <= 1 || scrolls(element.parentElement)) continue;
    if (right > view.innerWidth + 1 || left < -1) problems.push(`"${element.textContent.slice(0, 40)}" is cut`);
  }
  const isPhone = view.innerWidth < 720;
  for (const target of isPhone ? root.querySelectorAll('button, summary, select, .button, nav a') : []) {
    const { height, width } = target.getBoundingClientRect();
    // The picture of a graph is enlarged with two fingers.
    if (width <= 1 || height === 0 || height >= 43.5 || target.closest('.react-flow__viewport') !== null) continue;
    problems.push(`the button "${target.textContent.slice(0, 40)}" is ${Math.round(height)} pixels high`);
  }
  return problems;
}
