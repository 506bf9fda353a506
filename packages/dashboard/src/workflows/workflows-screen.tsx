import type { WorkflowWithRuns } from '@millrace/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useCaller } from '../api/use-caller.ts';
import { useIsThere } from '../api/use-storage.ts';
import { workflowsQuery } from '../api/workflow-queries.ts';
import { Allowed } from '../kit/commands/allowed.tsx';
import { ServerCommand } from '../kit/commands/server-command.tsx';
import { Screen } from '../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import dense from '../kit/tables/dense-table.module.css';
import tables from '../kit/tables/table.module.css';
import { formatCost, formatCount } from '../kit/values/format.ts';
import { Age } from '../kit/values/time.tsx';
import { readDraft } from './draft/use-draft.ts';
import { graphIdIn } from './text/graph-id.ts';
import classes from './workflows.module.css';

/** The published workflows: their versions with authors, their runs, and what failed and what it cost in seven days. */
export function WorkflowsScreen() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(workflowsQuery);
  const workflows = data?.pages.flatMap((page) => page.data);
  return (
    <Screen
      title="Workflows"
      actions={
        <Allowed scope="run">
          <Link to="/workflows/new" className="button primary">
            <Plus aria-hidden size={14} /> New workflow
          </Link>
        </Allowed>
      }
    >
      <NewDraft />
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {workflows === undefined && error === null && <Skeleton rows={6} />}
      {workflows?.length === 0 && (
        <Empty title="No workflow is published yet.">
          <p>
            <Link to="/workflows/new">Write one here</Link>, or publish a file:{' '}
            <ServerCommand>millrace workflows push FILE</ServerCommand>
          </p>
        </Empty>
      )}
      {workflows !== undefined && workflows.length > 0 && <WorkflowTable workflows={workflows} />}
      {hasNextPage && (
        <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </button>
      )}
    </Screen>
  );
}

/** Link to an unpublished text that was written in this browser. */
function NewDraft() {
  const { data: me } = useCaller();
  const draft = me && readDraft({ tenant: me.tenant, name: '' });
  if (draft?.savedAt === undefined) return null;
  return (
    <p className={`${classes['facts']} spaced row wrap muted`}>
      <span>
        This browser keeps a draft{graphIdIn(draft.text) !== '' && ` of ${graphIdIn(draft.text)}`}, saved{' '}
        <Age at={draft.savedAt} />.
      </span>
      <Link to="/workflows/new">Continue the draft</Link>
    </p>
  );
}

function WorkflowTable({ workflows }: { readonly workflows: readonly WorkflowWithRuns[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the page is scrolled with the keyboard
    <section className={`${classes['wide']} scrolled`} tabIndex={0} aria-label="Table of workflows">
      <table className={`${tables['table']} panel ${dense['dense']}`} aria-label="Workflows">
        <thead>
          <tr>
            <th scope="col">Workflow</th>
            <th scope="col">Version</th>
            <th scope="col">Published</th>
            <th scope="col" data-numbers>
              Runs
            </th>
            <th scope="col" data-numbers>
              Failed, 7 days
            </th>
            <th scope="col" data-numbers>
              Cost, 7 days
            </th>
            <th scope="col">Last run</th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {workflows.map((workflow) => (
            <WorkflowRow key={workflow.name} workflow={workflow} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The failed runs of a week among all that ended, with a link to them if there are any. */
function Failed({ name, week: { runs, failed } }: Pick<WorkflowWithRuns, 'name' | 'week'>) {
  if (failed === 0) return <>0 of {formatCount(runs)}</>;
  return (
    <Link to="/runs" search={{ workflow: name, status: 'failed', since: '7d' }} className="ink" data-tone="failed">
      {formatCount(failed)} of {formatCount(runs)}
    </Link>
  );
}

/** Tests if a week has costs to show: runs without costs are free, unless their models have no price. */
const hasCost = ({ runs, microUsd, unpriced }: WorkflowWithRuns['week']): boolean =>
  microUsd > 0 || (runs > 0 && unpriced === 0);

function WorkflowRow({ workflow }: { readonly workflow: WorkflowWithRuns }) {
  const { name, hash, publishedAt, archivedAt, by, note, runs, week, lastRun } = workflow;
  return (
    <tr>
      <th scope="row">
        <Link to="/workflows/$name" params={{ name }}>
          {name}
        </Link>
        {archivedAt !== undefined && (
          <span className={`${classes['badge']} pill tinted small`} data-tone="quiet">
            archived
          </span>
        )}
      </th>
      <td title={note}>
        <code>@{hash.slice(0, 6)}</code>
      </td>
      <td data-before="published" className="nowrap">
        <Age at={publishedAt} />
        {by !== undefined && <span> by {by}</span>}
      </td>
      <td data-numbers data-after={runs === 1 ? 'run' : 'runs'}>
        <Link to="/workflows/$name/runs" params={{ name }}>
          {formatCount(runs)}
        </Link>
      </td>
      <td data-numbers data-before="failed, 7 days:">
        {week.runs === 0 ? '–' : <Failed name={name} week={week} />}
      </td>
      <td data-numbers data-before="cost, 7 days:">
        {formatCost(hasCost(week) ? week.microUsd : undefined)}
      </td>
      <td data-before="last run" className="nowrap">
        {lastRun === undefined ? (
          '–'
        ) : (
          <Link to="/runs/$run" params={{ run: lastRun.runId }}>
            <Age at={lastRun.startedAt} />
          </Link>
        )}
      </td>
      <td className={classes['actions']}>
        <RowLinks workflow={workflow} />
      </td>
    </tr>
  );
}

/** Links to what is done with a workflow most often; none starts what is archived. */
function RowLinks({ workflow: { name, archivedAt } }: { readonly workflow: WorkflowWithRuns }) {
  const isThere = useIsThere();
  const ofName = <span className="visually-hidden"> {name}</span>;
  return (
    <span className={`${classes['links']} row`}>
      <Link to="/workflows/$name/edit" params={{ name }}>
        Edit{ofName}
      </Link>
      {archivedAt === undefined && (
        <Allowed scope="run">
          <Link to="/runs/new" search={{ workflow: name }}>
            Start{ofName}
          </Link>
          {isThere('/batches') && (
            <Link to="/batches/new" search={{ workflow: name }}>
              Batch{ofName}
            </Link>
          )}
        </Allowed>
      )}
    </span>
  );
}
