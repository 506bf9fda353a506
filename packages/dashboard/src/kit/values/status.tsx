import type { Run } from '@millrace/client';
import type { LucideIcon } from 'lucide-react';
import {
  Ban,
  Check,
  CircleDashed,
  CircleSlash,
  CornerDownRight,
  Hand,
  Octagon,
  Pause,
  Play,
  SkipForward,
  X,
} from 'lucide-react';
import classes from './status.module.css';

/** Status of a run. */
export type RunStatus = Run['status'];
/** State of a node or of an activation. */
export type NodeState =
  | 'idle'
  | 'ready'
  | 'working'
  | 'waiting'
  | 'failed'
  | 'done'
  | 'opened'
  | 'completed'
  | 'dropped';

/** State of a row, a schedule, a tick, a delivery, a batch, an order or a key. */
export type ItemState =
  | 'invalid'
  | 'cancelling'
  | 'finished'
  | 'active'
  | 'started'
  | 'skipped'
  | 'pending'
  | 'delivered'
  | 'gone'
  | 'valid'
  | 'expiring'
  | 'expired'
  | 'revoked';

type Tone = 'running' | 'waiting' | 'completed' | 'failed' | 'terminated' | 'quiet';

const looks: Readonly<Record<RunStatus | NodeState | ItemState, readonly [LucideIcon, Tone]>> = {
  running: [Play, 'running'],
  working: [Play, 'running'],
  opened: [CornerDownRight, 'quiet'],
  ready: [CircleDashed, 'running'],
  waiting: [Hand, 'waiting'],
  paused: [Pause, 'quiet'],
  stopping: [Octagon, 'terminated'],
  terminated: [Octagon, 'terminated'],
  completed: [Check, 'completed'],
  done: [Check, 'completed'],
  failed: [X, 'failed'],
  cancelled: [Ban, 'quiet'],
  dropped: [SkipForward, 'quiet'],
  idle: [CircleSlash, 'quiet'],
  invalid: [X, 'failed'],
  cancelling: [Octagon, 'terminated'],
  finished: [Check, 'completed'],
  active: [Play, 'running'],
  started: [Check, 'completed'],
  skipped: [SkipForward, 'quiet'],
  pending: [CircleDashed, 'running'],
  delivered: [Check, 'completed'],
  gone: [CircleSlash, 'quiet'],
  valid: [Check, 'completed'],
  expiring: [CircleDashed, 'waiting'],
  expired: [CircleSlash, 'quiet'],
  revoked: [Ban, 'quiet'],
};

/** Returns the tone of a state: the name of its colours in tokens.css. */
export const toneOf = (state: RunStatus | NodeState): Tone => looks[state][1];

/** A status as icon and word, so that it does not depend on colour. */
export function Status({ of }: { readonly of: RunStatus | NodeState | ItemState }) {
  const [Icon, tone] = looks[of];
  return (
    <span className={`${classes['status']} inline pill tinted small strong nowrap`} data-tone={tone}>
      <Icon aria-hidden size={12} strokeWidth={2.5} />
      {of}
    </span>
  );
}

/** The icon of a status without its word, for places that name the state otherwise. */
export function StatusIcon({ of, size = 14 }: { readonly of: RunStatus | NodeState; readonly size?: number }) {
  const [Icon, tone] = looks[of];
  return <Icon aria-hidden size={size} strokeWidth={2.5} className="ink" data-tone={tone} />;
}
