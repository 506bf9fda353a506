import type { LucideIcon } from 'lucide-react';
import { ChartColumn, Clock, Gauge, Inbox, List, Settings, Table2, Webhook, Workflow } from 'lucide-react';
import type { ShortcutName } from '../../kit/shortcuts/shortcuts.ts';

/** Screen that the rail and the palette lead to. */
export interface ScreenLink {
  readonly to:
    | '/runs'
    | '/inbox'
    | '/workflows'
    | '/batches'
    | '/schedules'
    | '/webhooks'
    | '/usage'
    | '/operations'
    | '/settings';
  readonly label: string;
  readonly icon: LucideIcon;
  readonly shortcut: ShortcutName;
}

/** All screens in the order of the rail. */
export const screens: readonly ScreenLink[] = [
  { to: '/runs', label: 'Runs', icon: List, shortcut: 'goToRuns' },
  { to: '/inbox', label: 'Inbox', icon: Inbox, shortcut: 'goToInbox' },
  { to: '/workflows', label: 'Workflows', icon: Workflow, shortcut: 'goToWorkflows' },
  { to: '/batches', label: 'Batches', icon: Table2, shortcut: 'goToBatches' },
  { to: '/schedules', label: 'Schedules', icon: Clock, shortcut: 'goToSchedules' },
  { to: '/webhooks', label: 'Webhooks', icon: Webhook, shortcut: 'goToWebhooks' },
  { to: '/usage', label: 'Usage', icon: ChartColumn, shortcut: 'goToUsage' },
  { to: '/operations', label: 'Operations', icon: Gauge, shortcut: 'goToOperations' },
  { to: '/settings', label: 'Settings', icon: Settings, shortcut: 'goToSettings' },
];
