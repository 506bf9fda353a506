import type { PublishedWorkflow } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { ChartColumn, Play, Table2 } from 'lucide-react';
import { millrace } from '../api/millrace.ts';
import { useIsThere } from '../api/use-storage.ts';
import { workflowQuery } from '../api/workflow-queries.ts';
import { Allowed } from '../kit/commands/allowed.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import type { ResourceAction } from '../kit/commands/resource-actions.tsx';
import { ResourceActions } from '../kit/commands/resource-actions.tsx';
import { MenuItem } from '../kit/controls/menu.tsx';
import { Screen } from '../kit/layout/screen.tsx';
import { useIsNarrow } from '../kit/layout/use-is-narrow.ts';
import tabClasses from '../kit/layout/view-tabs.module.css';
import { Problem } from '../kit/states/problem.tsx';
import { CopyableId } from '../kit/values/copyable-id.tsx';
import { Age } from '../kit/values/time.tsx';
import classes from './workflows.module.css';

const tabs = { overview: 'Overview', edit: 'Edit', versions: 'Versions', runs: 'Runs' } as const;

/** One published workflow: its current version, and tabs for its editor, its versions and its runs. */
export function WorkflowScreen() {
  const { name } = useParams({ from: '/workflows/$name' });
  const { data, error, refetch } = useQuery(workflowQuery(name));
  return (
    <Screen title={name} actions={data !== undefined && <Actions workflow={data} />}>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data !== undefined && (
        <p className={`${classes['facts']} spaced row wrap muted`}>
          <CopyableId id={`${name}@${data.hash}`} />
          <span>
            published <Age at={data.publishedAt} /> by {data.by}
          </span>
          {data.archivedAt !== undefined && (
            <span className={`${classes['badge']} pill tinted small`} data-tone="quiet">
              archived
            </span>
          )}
          {data.note !== undefined && <span>{data.note}</span>}
        </p>
      )}
      <nav className={`${tabClasses['tabs']} scrolled`} aria-label="Views of the workflow">
        {(Object.entries(tabs) as [keyof typeof tabs, string][]).map(([tab, label]) => (
          <Link
            key={tab}
            to={`/workflows/$name/${tab}`}
            params={{ name }}
            className={`${tabClasses['tab']} inline muted strong nowrap`}
          >
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </Screen>
  );
}

/** Actions on a workflow as a whole; on phones, all but the first are in a menu. */
function Actions({ workflow }: { readonly workflow: PublishedWorkflow }) {
  const isThere = useIsThere();
  const navigate = useNavigate();
  const isNarrow = useIsNarrow();
  if (workflow.archivedAt !== undefined) return null;
  const search = { workflow: workflow.name };
  const menu = {
    ids: ['archive'],
    more: (
      <>
        <Allowed scope="run">
          {isThere('/batches') && (
            <MenuItem act={() => void navigate({ to: '/batches/new', search })}>New batch</MenuItem>
          )}
        </Allowed>
        <MenuItem act={() => void navigate({ to: '/usage', search })}>Usage</MenuItem>
      </>
    ),
  };
  return (
    <ResourceActions changes="workflows" actions={[archiveOf(workflow)]} {...(isNarrow ? { menu } : {})}>
      <Allowed scope="run">
        <Link to="/runs/new" search={search} className="button primary">
          <Play aria-hidden size={14} /> Start a run
        </Link>
        {isThere('/batches') && !isNarrow && (
          <Link to="/batches/new" search={search} className="button">
            <Table2 aria-hidden size={14} /> New batch
          </Link>
        )}
      </Allowed>
      {!isNarrow && (
        <Link to="/usage" search={search} className="button">
          <ChartColumn aria-hidden size={14} /> Usage
        </Link>
      )}
    </ResourceActions>
  );
}

/** Action that ends the start of new runs of a workflow. */
const archiveOf = ({ name, hash }: PublishedWorkflow): ResourceAction => ({
  id: 'archive',
  danger: 'confirmed',
  button: 'Archive',
  command: 'Archive this workflow',
  asks: `Archive ${name}?`,
  will: 'No new run of it is started. Runs that there are continue, and publishing it again makes it usable.',
  confirm: `Archive ${name}`,
  copied: copyOf('workflows.archive', { name, 'if-match': `"${hash}"` }),
  act: async () => void (await millrace.workflows.archive(name, { ifHash: hash })),
});
