import type { LucideIcon } from 'lucide-react';
import { Inbox, List, Settings } from 'lucide-react';
import type { ShortcutName } from '../kit/shortcuts/shortcut-table.ts';

/** Screen that the rail and the palette lead to. */
export interface ScreenLink {
  readonly to: '/runs' | '/inbox' | '/settings';
  readonly label: string;
  readonly icon: LucideIcon;
  readonly shortcut: ShortcutName;
}

/** All screens in the order of the rail. */
export const screens: readonly ScreenLink[] = [
  { to: '/runs', label: 'Runs', icon: List, shortcut: 'goToRuns' },
  { to: '/inbox', label: 'Inbox', icon: Inbox, shortcut: 'goToInbox' },
  { to: '/settings', label: 'Settings', icon: Settings, shortcut: 'goToSettings' },
];
