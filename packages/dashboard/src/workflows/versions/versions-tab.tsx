import type { WorkflowVersionWithRuns } from '@millrace/client';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { versionQuery, versionsQuery, workflowQuery } from '../../api/workflow-queries.ts';
import { CopyAs } from '../../kit/commands/copy-as.tsx';
import { Dialog } from '../../kit/controls/dialog.tsx';
import form from '../../kit/controls/form.module.css';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import dense from '../../kit/tables/dense-table.module.css';
import tables from '../../kit/tables/table.module.css';
import { LineChanges } from '../../kit/text/text-diff.tsx';
import { formatCount } from '../../kit/values/format.ts';
import { Age } from '../../kit/values/time.tsx';
import { copiedPublication } from '../publishing/copied-publication.ts';
import classes from '../workflows.module.css';

/** The versions of a workflow with author, note and runs; any two are compared, and each can be published again. */
export function VersionsTab() {
  const { name } = useParams({ from: '/workflows/$name' });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    versionsQuery(name),
  );
  const versions = data?.pages.flatMap((page) => page.data);
  if (error !== null && versions === undefined) return <Problem error={error} retry={() => void refetch()} />;
  if (versions === undefined) return <Skeleton rows={4} />;
  return (
    <>
      <VersionTable name={name} versions={versions} />
      {hasNextPage && (
        <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </button>
      )}
    </>
  );
}

interface VersionTableProps {
  readonly name: string;
  readonly versions: readonly WorkflowVersionWithRuns[];
}

function VersionTable({ name, versions }: VersionTableProps) {
  const current = useQuery(workflowQuery(name)).data;
  const [picked, pick] = useState<readonly string[]>([]);
  const toggle = (hash: string) =>
    pick((before) => (before.includes(hash) ? before.filter((one) => one !== hash) : [...before.slice(-1), hash]));
  return (
    <>
      <CompareBar name={name} versions={versions} picked={picked} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the page is scrolled with the keyboard */}
      <section className={`${classes['wide']} scrolled`} tabIndex={0} aria-label="Table of versions">
        <table className={`${tables['table']} panel ${dense['dense']}`} aria-label="Versions">
          <thead>
            <tr>
              <th scope="col">Compare</th>
              <th scope="col">Version</th>
              <th scope="col">First published</th>
              <th scope="col">By</th>
              <th scope="col">Note</th>
              <th scope="col" data-numbers>
                Runs
              </th>
              <th scope="col">Last run</th>
              <th scope="col">Actions</th>
            </tr>
          </thead>
          <tbody>
            {versions.map((version) => (
              <VersionRow
                key={version.hash}
                name={name}
                version={version}
                isCurrent={current !== undefined && current.archivedAt === undefined && current.hash === version.hash}
                isKnown={current !== undefined}
                isPicked={picked.includes(version.hash)}
                toggle={toggle}
              />
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

interface CompareBarProps extends VersionTableProps {
  /** Hashes of the versions that are to be compared. */
  readonly picked: readonly string[];
}

/** Button that compares the two versions that are picked, the older one first. */
function CompareBar({ name, versions, picked }: CompareBarProps) {
  const navigate = useNavigate();
  const [later, earlier] = versions.map(({ hash }) => hash).filter((hash) => picked.includes(hash));
  const isReady = later !== undefined && earlier !== undefined;
  return (
    <p className={`${classes['facts']} spaced row wrap muted`}>
      <button
        type="button"
        className="button"
        aria-disabled={!isReady}
        title={isReady ? undefined : 'Pick two versions of the table.'}
        onClick={() =>
          isReady && void navigate({ to: '/workflows/$name/diff/$a/$b', params: { name, a: earlier, b: later } })
        }
      >
        Compare two versions
      </button>
      <span role="status">{isReady ? '' : `${picked.length} of 2 picked`}</span>
    </p>
  );
}

interface VersionRowProps {
  readonly name: string;
  readonly version: WorkflowVersionWithRuns;
  readonly isCurrent: boolean;
  /** The current version has been loaded. */
  readonly isKnown: boolean;
  readonly isPicked: boolean;
  readonly toggle: (hash: string) => void;
}

function VersionRow({ name, version, isCurrent, isKnown, isPicked, toggle }: VersionRowProps) {
  const { hash, createdAt, by, note, runs, lastRunAt } = version;
  const short = hash.slice(0, 6);
  return (
    <tr>
      <td data-after="compare">
        <input
          type="checkbox"
          aria-label={`Compare version ${short}`}
          checked={isPicked}
          onChange={() => toggle(hash)}
        />
      </td>
      <th scope="row">
        <code title={hash}>@{short}</code>
        {isCurrent && (
          <span className={`${classes['badge']} pill tinted small`} data-tone="completed">
            current
          </span>
        )}
      </th>
      <td className="nowrap">
        <Age at={createdAt} />
      </td>
      <td data-before="by">{by ?? '–'}</td>
      <td className={`${classes['note']} muted`} title={note}>
        {note}
      </td>
      <td data-numbers data-after={runs === 1 ? 'run' : 'runs'}>
        <Link to="/workflows/$name/runs" params={{ name }} search={{ version: hash }}>
          {formatCount(runs)}
        </Link>
      </td>
      <td data-before="last run" className="nowrap">
        {lastRunAt === undefined ? '–' : <Age at={lastRunAt} />}
      </td>
      <td className="nowrap">
        <span className="row wrap">
          <Link to="/workflows/$name/edit" params={{ name }} search={{ version: hash }} className="button">
            Edit this version
          </Link>
          {isKnown && !isCurrent && <PublishAgain name={name} hash={hash} />}
        </span>
      </td>
    </tr>
  );
}

interface PublishAgainProps {
  readonly name: string;
  readonly hash: string;
}

/** Button that makes an earlier version the current one, after it has shown the changes. */
function PublishAgain({ name, hash }: PublishAgainProps) {
  const [isAsked, ask] = useState(false);
  return (
    <>
      <button type="button" className="button" onClick={() => ask(true)}>
        Publish again
      </button>
      {isAsked && <PublishAgainDialog name={name} hash={hash} close={() => ask(false)} />}
    </>
  );
}

function PublishAgainDialog({ name, hash, close }: PublishAgainProps & { readonly close: () => void }) {
  const { data: current, error: unknownCurrent } = useQuery(workflowQuery(name));
  const { data: version, error: unknownVersion } = useQuery(versionQuery(name, hash));
  const [note, setNote] = useState('');
  const written = note.trim() === '' ? undefined : note.trim();
  const { mutate, isPending, error } = useMutation({
    mutationFn: ({ yaml, ifHash }: { readonly yaml: string; readonly ifHash: string }) =>
      millrace.workflows.publish(name, yaml, { ifHash, note: written }),
    onSuccess: close,
    meta: { changes: ['workflows'] },
  });
  const failed = unknownCurrent ?? unknownVersion ?? error;
  return (
    <Dialog title={`Publish @${hash.slice(0, 6)} of ${name} again?`} size="large" close={close}>
      {failed !== null && <Problem error={failed} />}
      {current === undefined || version === undefined ? (
        failed === null && <Skeleton rows={6} />
      ) : (
        <form
          className={`${classes['form']} stack`}
          onSubmit={(event) => {
            event.preventDefault();
            mutate({ yaml: version.yaml, ifHash: current.hash });
          }}
        >
          <p>
            New runs of {name} use this version from then on; runs that there are keep theirs. From the current version{' '}
            <code>@{current.hash.slice(0, 6)}</code> to this one:
          </p>
          <LineChanges before={current.yaml} after={version.yaml} />
          <label className={`${classes['field']} stack strong`}>
            Note
            <textarea rows={2} maxLength={1000} value={note} onChange={({ target }) => setNote(target.value)} />
          </label>
          <div className={`${form['buttons']} row wrap`}>
            <CopyAs of={copiedPublication({ name, yaml: version.yaml, note: written, base: current.hash })} />
            <button type="submit" className="button primary" disabled={isPending}>
              Publish again
            </button>
          </div>
        </form>
      )}
    </Dialog>
  );
}
