/** Tabs of a run, in their order; each is the last part of an address. */
export const tabs = ['graph', 'timeline', 'activations', 'conversation', 'journal', 'files', 'money', 'yaml'] as const;
