import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Millrace } from '@millrace/client';
import { startMillrace } from '../processes/millrace.ts';
import type { DemoRuns } from './add-demo-data.ts';
import { addDemoData } from './add-demo-data.ts';

/** The dashboard of an installation of its own with runs of all kinds. */
export interface ServedDemo {
  readonly url: string;
  readonly runs: DemoRuns;
  close(): Promise<void>;
}

/** Starts `millrace up` in a temporary directory, and fills it; 0: any free port. */
export async function serveDemo(port: number): Promise<ServedDemo> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-demo-ui-'));
  const up = startMillrace(['up', '--port', String(port)], { env: { MILLRACE_DIR: directory } });
  async function close(): Promise<void> {
    up.signal('SIGTERM');
    await up.ended;
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  }
  try {
    const [, url = ''] = await up.says(/HTTP API is at (http:\S+)/);
    return { url, runs: await addDemoData(new Millrace({ url })), close };
  } catch (error) {
    await close();
    throw error;
  }
}
