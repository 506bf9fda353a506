import { test } from 'vitest';
import type { Fleet } from './fleet.ts';
import { openFleet } from './fleet.ts';

/** Test with a fleet of its own, so that tests that mostly wait for locks and wakes can run side by side. */
export const withFleet = test.extend<{ fleet: Fleet }>({
  fleet: async ({ task: _task }, use) => {
    const fleet = await openFleet();
    await use(fleet);
    await fleet.close();
  },
});
