import { test } from 'vitest';
import type { Workshop } from './workshop.ts';
import { openWorkshop } from './workshop.ts';

/** Test with a workshop of its own, so that tests that mostly wait for locks and wakes can run side by side. */
export const inWorkshop = test.extend<{ workshop: Workshop }>({
  workshop: async ({ task: _task }, use) => {
    const workshop = await openWorkshop();
    await use(workshop);
    await workshop.close();
  },
});
