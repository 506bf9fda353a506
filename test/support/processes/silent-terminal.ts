import type { Terminal } from 'millrace';

/** A terminal that shows nothing, and at which nobody is. */
export const silentTerminal: Terminal = {
  data: () => undefined,
  report: () => undefined,
  content: () => undefined,
  say: () => undefined,
  interactive: false,
  ask: async () => undefined,
  choose: async () => undefined,
  note: async () => undefined,
};
