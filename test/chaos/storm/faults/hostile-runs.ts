import type { FaultDefinition } from '../fault.ts';

/** A run that ends its workers, until it fails with a code. */
export const poisonRun: FaultDefinition = {
  times: 'once',
  async inject({ hostile, note }) {
    await hostile.startPoison();
    note('poisonRun');
  },
};

/** A run whose template traps in the engine or takes too long, beside one whose template must be rendered. */
export const templateTrap: FaultDefinition = {
  times: 1,
  async inject({ hostile, note }) {
    await hostile.startTrap();
    note('templateTrap');
  },
};
