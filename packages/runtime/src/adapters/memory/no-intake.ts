import type { Intake } from '../../ports/jobs.ts';

/** Intake of a runtime in one process: there is none. */
export const noIntake: Intake = {
  consume: () => ({ close: async () => undefined }),
  refused: async () => [],
  find: async () => undefined,
  retry: async () => false,
  drop: async () => false,
  close: async () => undefined,
};
