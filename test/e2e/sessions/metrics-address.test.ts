import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directoryBeforeAll } from '../../support/fixtures.ts';
import { startMillrace } from '../../support/processes/millrace.ts';

const cwd = directoryBeforeAll();

it('serves the metrics of a worker at the address of --metrics-host and --metrics-port', async () => {
  const args = ['worker', '--metrics-host', '127.0.0.2', '--metrics-port', '0'];
  const worker = startMillrace(args, { cwd, env: { MILLRACE_DIR: join(cwd, 'data') } });
  const [, url = ''] = await worker.says(/(http:\/\/127\.0\.0\.2:\d+\/metrics)/);
  const text = await (await fetch(url)).text();
  await worker.stop('SIGINT');

  expect(text).toContain('# TYPE millrace_');
});
