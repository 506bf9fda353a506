import type { LucideIcon } from 'lucide-react';
import {
  AlarmClock,
  Bot,
  Box,
  Brain,
  Code,
  Combine,
  Crown,
  FileText,
  Hand,
  ListOrdered,
  Quote,
  Radio,
  Signpost,
  Timer,
  Workflow,
} from 'lucide-react';

const icons: Readonly<Record<string, LucideIcon>> = {
  agent: Bot,
  human: Hand,
  python: Code,
  subgraph: Workflow,
  loop_counter: ListOrdered,
  loop_timer: Timer,
  boss: Crown,
  controller: Signpost,
  delay: AlarmClock,
  wait_for: Radio,
  literal: Quote,
  template: FileText,
  memory_read: Brain,
  memory_write: Brain,
  flatten: Combine,
};

/** Returns the icon of a type of nodes. */
export const iconOf = (type: string): LucideIcon => icons[type] ?? Box;
