import type { Intake } from './port.ts';

/** Where runs live in one process nobody else can put anything. */
export const noIntake: Intake = {
  consume: () => ({ close: async () => undefined }),
  refused: async () => [],
  find: async () => undefined,
  retry: async () => false,
  drop: async () => false,
  close: async () => undefined,
};
