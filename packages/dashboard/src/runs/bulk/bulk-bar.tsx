import type { RunLine } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useCaller } from '../../api/use-caller.ts';
import { useIsInMemory } from '../../api/use-storage.ts';
import type { RunFilter } from '../filter/run-filter.ts';
import { useRunCounts } from '../filter/use-run-counts.ts';
import classes from './bulk.module.css';
import type { BulkActionType, BulkTarget } from './bulk-actions.ts';
import { bulkLabels, changes, countOf, mostRunsOfAction, obstacleTo, runCountLabel } from './bulk-actions.ts';
import type { Selection } from './selection.ts';

const BulkDialog = lazy(async () => ({ default: (await import('./bulk-dialog.tsx')).BulkDialog }));

interface BulkBarProps {
  readonly selection: Selection;
  readonly filter: RunFilter;
  /** Runs of the list that are loaded. */
  readonly runs: readonly RunLine[];
  /** Selects all runs that the filter finds, loaded or not. */
  readonly selectAll: () => void;
  readonly clear: () => void;
}

/** Bar with the actions on the selected runs. */
export function BulkBar({ selection, filter, runs, selectAll, clear }: BulkBarProps) {
  const { data: counts } = useRunCounts(filter);
  const [asked, ask] = useState<BulkActionType>();
  const inMemory = useIsInMemory() ? 'Bulk actions need a server with a Redis: millrace up.' : undefined;
  const selected = runs.filter(({ runId }) => selection.ids.has(runId));
  const targetOf = (action: BulkActionType): BulkTarget =>
    selection.isAll
      ? { type: 'filter', filter, count: countOf(action, filter, counts) }
      : { type: 'runs', ids: selected.filter(({ status }) => changes(action, status)).map(({ runId }) => runId) };
  const isEveryLoaded = selected.length === runs.length;
  return (
    <section className={`${classes['bar']} panel row wrap`} aria-label="Selected runs">
      <strong>
        {selection.isAll ? 'All runs that this filter finds' : `${runCountLabel(selection.ids.size)} selected`}
      </strong>
      {(['cancel', 'retry'] as const).map((action) => (
        <ActionButton
          key={action}
          action={action}
          target={targetOf(action)}
          obstacle={inMemory ?? (selection.isAll ? obstacleTo(action, filter) : tooMany(selection))}
          act={() => ask(action)}
        />
      ))}
      <CompareLink runs={selection.isAll ? [] : selected} />
      {isEveryLoaded && !selection.isAll && (
        <button type="button" className="quiet-button" onClick={selectAll}>
          Select all that this filter finds
        </button>
      )}
      <button type="button" className="quiet-button" onClick={clear}>
        <X aria-hidden size={14} /> Clear
      </button>
      <Suspense>
        {asked !== undefined && (
          <BulkDialog
            action={asked}
            target={targetOf(asked)}
            close={() => {
              ask(undefined);
              clear();
            }}
          />
        )}
      </Suspense>
    </section>
  );
}

/** Link to the comparison of two selected runs, the older one first. */
function CompareLink({ runs }: { readonly runs: readonly RunLine[] }) {
  const [newer, older, more] = runs;
  if (newer === undefined || older === undefined || more !== undefined) return null;
  return (
    <Link className="button" to="/runs/$run/compare/$other" params={{ run: older.runId, other: newer.runId }}>
      Compare
    </Link>
  );
}

const tooMany = ({ ids }: Selection): string | undefined =>
  ids.size > mostRunsOfAction
    ? 'A bulk action names 1,000 runs at most. Select fewer, or all that this filter finds.'
    : undefined;

interface ActionButtonProps {
  readonly action: BulkActionType;
  readonly target: BulkTarget;
  readonly obstacle: string | undefined;
  readonly act: () => void;
}

/** Button of an action; a disabled one shows the reason. */
function ActionButton({ action, target, obstacle, act }: ActionButtonProps) {
  const { data: me } = useCaller();
  const count = target.type === 'runs' ? target.ids.length : target.count;
  const mayRun = me === undefined || me.scopes.some((scope) => scope === 'run' || scope === 'admin');
  const reason = !mayRun
    ? `This needs a key with the scope "run"; yours has ${me.scopes.join(', ')}.`
    : (obstacle ?? (count === 0 ? `None of them can be ${action === 'retry' ? 'retried' : 'cancelled'}.` : undefined));
  return (
    <button
      type="button"
      className={`button ${action === 'cancel' ? 'danger' : ''}`}
      aria-disabled={reason !== undefined}
      title={reason}
      onClick={() => reason === undefined && act()}
    >
      {bulkLabels[action].verb}
      {reason === undefined && count !== undefined && ` ${count.toLocaleString('en')}`}
      {reason !== undefined && <span className="visually-hidden">: {reason}</span>}
    </button>
  );
}
