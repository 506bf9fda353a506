import { fileURLToPath } from 'node:url';
import { startBrowser } from '../browser/browser.ts';
import { serveDemo } from './serve-demo.ts';

const folder = fileURLToPath(new URL('../../../docs/images/', import.meta.url));

/** A picture of a screen, once a text is there. */
interface Picture {
  readonly file: string;
  readonly path: string;
  readonly text: string;
  readonly width?: number;
  readonly height?: number;
  /** Arguments that are put in place of those of a call. */
  readonly change?: string;
}

/** Takes the pictures of the documentation from the demo of the dashboard. */
export async function main(): Promise<number> {
  const demo = await serveDemo(0);
  const browser = await startBrowser();
  const { waiting, completed, map, approval } = demo.runs;
  const pictures: readonly Picture[] = [
    { file: 'dashboard.png', path: `runs/${waiting}`, text: 'loop · iteration 3', width: 1440, height: 900 },
    { file: 'dashboard-runs.png', path: 'runs', text: 'The summer festival', height: 580 },
    { file: 'dashboard-timeline.png', path: `runs/${map}/timeline`, text: 'Report', height: 500 },
    { file: 'dashboard-conversation.png', path: `runs/${completed}/conversation`, text: 'Sundays belong to readers' },
    {
      file: 'dashboard-approval.png',
      path: `inbox/${approval}.a1.2`,
      text: 'May Clerk call refund?',
      height: 900,
      change: '{\n  "amount": 40,\n  "order": "1001"\n}',
    },
    { file: 'dashboard-inbox.png', path: 'inbox', text: 'Is this plan good to be sent?', height: 560 },
  ];
  for (const { file, path, text, width = 1280, height = 820, change } of pictures) {
    const page = await browser.newPage({
      viewport: { width, height },
      colorScheme: 'light',
      reducedMotion: 'reduce',
    });
    await page.goto(`${demo.url}/ui/${path}`);
    await page.getByText(text).first().waitFor();
    if (change !== undefined) {
      await page.getByRole('radio', { name: 'Approve with changes' }).check();
      await page.getByRole('textbox', { name: 'Arguments to send' }).fill(change);
    }
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    // Layouts are computed in a worker, and drawn when they are there.
    await page.waitForTimeout(1500);
    await page.screenshot({ path: `${folder}${file}` });
    await page.close();
    process.stdout.write(`saved docs/images/${file}\n`);
  }
  await browser.close();
  await demo.close();
  return 0;
}
