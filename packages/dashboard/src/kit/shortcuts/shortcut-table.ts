/** Keyboard shortcut: the keys that trigger it, and the sentence that the sheet of shortcuts prints. */
export interface Shortcut {
  /** Keys as events name them. `mod` is ⌘ or Ctrl; keys with a space between them follow each other. */
  readonly keys: readonly string[];
  readonly group: 'Everywhere' | 'Lists' | 'Inbox' | 'Runs' | 'A run';
  readonly does: string;
}

/** All keyboard shortcuts. A screen gives them their effect with `useShortcut`; the sheet prints this table. */
export const shortcuts = {
  palette: { keys: ['mod+k'], group: 'Everywhere', does: 'Go to a screen, find a run, act on it' },
  sheet: { keys: ['?'], group: 'Everywhere', does: 'Show the keyboard shortcuts' },
  goToRuns: { keys: ['g r'], group: 'Everywhere', does: 'Go to the runs' },
  goToInbox: { keys: ['g i'], group: 'Everywhere', does: 'Go to the inbox' },
  goToWorkflows: { keys: ['g w'], group: 'Everywhere', does: 'Go to the workflows' },
  goToBatches: { keys: ['g b'], group: 'Everywhere', does: 'Go to the batches' },
  goToSchedules: { keys: ['g t'], group: 'Everywhere', does: 'Go to the schedules' },
  goToWebhooks: { keys: ['g h'], group: 'Everywhere', does: 'Go to the webhooks' },
  goToUsage: { keys: ['g u'], group: 'Everywhere', does: 'Go to the usage' },
  goToOperations: { keys: ['g o'], group: 'Everywhere', does: 'Go to the operations' },
  goToSettings: { keys: ['g s'], group: 'Everywhere', does: 'Go to the settings' },
  copyLink: { keys: ['y'], group: 'Everywhere', does: 'Copy the address of what is shown' },
  still: { keys: ['l'], group: 'Everywhere', does: 'Hold updates, or follow live again' },
  filter: { keys: ['/'], group: 'Lists', does: 'Write a filter' },
  next: { keys: ['j'], group: 'Lists', does: 'Move to the next row' },
  previous: { keys: ['k'], group: 'Lists', does: 'Move to the previous row' },
  select: { keys: ['x'], group: 'Runs', does: 'Select the run' },
  selectRange: { keys: ['X'], group: 'Runs', does: 'Select all runs from the last selected one' },
  pause: { keys: ['P'], group: 'A run', does: 'Pause or resume the run' },
  cancel: { keys: ['c'], group: 'A run', does: 'Cancel the run' },
  replay: { keys: ['r'], group: 'A run', does: 'Replay the run' },
  fork: { keys: ['f'], group: 'A run', does: 'Fork the run at the activation that is shown' },
  compare: { keys: ['d'], group: 'A run', does: 'Compare the run with the one that it comes from' },
  tab: { keys: ['1', '2', '3', '4', '5', '6', '7', '8'], group: 'A run', does: 'Show a tab of the run' },
  claim: { keys: ['c'], group: 'Inbox', does: 'Claim the question' },
  answer: { keys: ['a'], group: 'Inbox', does: 'Write the answer, here and in a run that asks' },
  table: { keys: ['t'], group: 'A run', does: 'Show the graph as a table, or as a picture' },
  nextActivation: { keys: ['n'], group: 'A run', does: 'Show the next activation of the node' },
  previousActivation: { keys: ['p'], group: 'A run', does: 'Show the previous activation of the node' },
  closePanel: { keys: ['Escape'], group: 'A run', does: 'Close the panel of the node' },
  nextEvent: { keys: [']'], group: 'A run', does: 'Go to the next event' },
  previousEvent: { keys: ['['], group: 'A run', does: 'Go to the previous event' },
  firstEvent: { keys: ['{'], group: 'A run', does: 'Go to the first event' },
  newestEvent: { keys: ['}'], group: 'A run', does: 'Go to the newest event, live' },
  leave: { keys: ['Escape'], group: 'Lists', does: 'Leave the field, then the selection, then the filter' },
} as const satisfies Record<string, Shortcut>;

/** Name of a shortcut. */
export type ShortcutName = keyof typeof shortcuts;
