import { expect } from 'vitest';
import type { Dashboard } from './dashboard.ts';

/** Waits until a run has completed, however long it takes. */
export async function completed(dashboard: Dashboard, run: string): Promise<void> {
  for (;;) {
    const response = await fetch(dashboard.url(`/v1/runs/${run}?wait=60s&until=ended`));
    const { status, finishedAt } = (await response.json()) as { readonly status: string; readonly finishedAt?: number };
    if (finishedAt === undefined) continue;
    expect(status).toBe('completed');
    return;
  }
}
