import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { useDashboard } from '../../support/browser/dashboard.ts';

const asks = 'graph: { id: asks, nodes: [{ id: Reviewer, type: human, config: { description: Is it good? } }] }';

const dashboard = useDashboard();
const { url } = dashboard;
const question = (run: string) => dashboard.page.getByRole('article').filter({ hasText: run });

it('downloads the files of a question', async () => {
  const { page } = dashboard;
  const form = new FormData();
  form.set('file', new Blob(['red']), 'colour.txt');
  const uploaded = await fetch(url('/v1/files'), { method: 'POST', body: form });
  const { id } = (await uploaded.json()) as { readonly id: string };
  const request = { workflow: { yaml: asks }, input: 'A fence.', attachments: [id] };
  const { runId } = await dashboard.send('POST', '/v1/runs', request);
  await fetch(url(`/v1/runs/${runId}?wait=20s`));
  await page.goto(url(`/ui/inbox/${runId}.a1`));

  const download = page.waitForEvent('download');
  await question(String(runId)).getByRole('link', { name: 'colour.txt' }).click();

  const path = await (await download).path();
  expect(readFileSync(path, 'utf8')).toBe('red');
});

it('sends files with an answer', async () => {
  const { page } = dashboard;
  const run = await dashboard.start(asks);
  await fetch(url(`/v1/runs/${run}?wait=20s`));
  await page.goto(url(`/ui/inbox/${run}.a1`));
  await question(run).getByRole('textbox').fill('ACCEPT');

  await question(run)
    .getByLabel('Attach files')
    .setInputFiles({ name: 'colour.txt', mimeType: 'text/plain', buffer: Buffer.from('red') });
  await question(run).getByText('colour.txt · 3 B').waitFor();
  await question(run).getByRole('button', { name: 'Answer' }).click();

  await fetch(url(`/v1/runs/${run}?wait=20s&until=ended`));
  const [detail] = (await dashboard.api.runtime.store.journal(run, '0', 100)).filter(
    ({ event }) => event.type === 'files.attached',
  );
  expect(detail?.event).toMatchObject({ files: [{ path: expect.stringContaining('colour.txt') }] });
});
