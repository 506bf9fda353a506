/** Tabs of a run, in their order; each is the last part of an address. */
export const tabs = ['graph', 'activations', 'journal'] as const;
