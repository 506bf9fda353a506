import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { offeredWorkflowsQuery, versionQuery, workflowQuery } from '../../api/workflow-queries.ts';
import { ServerCommand } from '../../kit/commands/server-command.tsx';
import { Screen } from '../../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import classes from './start.module.css';
import type { WorkflowChoice } from './start-draft.ts';
import { variablesIn } from './start-draft.ts';
import { StartForm } from './start-form.tsx';
import { useOrigin } from './use-origin.ts';

/** Form of a new run, made from a published workflow, or from another run. */
export function StartScreen() {
  const { workflow, from } = useSearch({ from: '/runs/new' });
  const navigate = useNavigate({ from: '/runs/new' });
  const { data: published, error } = useQuery(offeredWorkflowsQuery);
  const origin = useOrigin(from);
  const chosen = workflow ?? origin.data?.workflow ?? '';
  const names = published?.workflows.map(({ name }) => name) ?? [];
  const isNothing = published !== undefined && names.length === 0 && from === undefined;
  return (
    <Screen title="Start a run">
      {error !== null && <Problem error={error} />}
      {origin.error !== null && <Problem error={origin.error} />}
      {isNothing && (
        <Empty title="No workflow has been published yet.">
          <p>
            Runs are started from published workflows. <Link to="/workflows/new">Write one here</Link>, beginning with
            an example that runs, or publish a file: <ServerCommand>millrace workflows push FILE</ServerCommand>
          </p>
        </Empty>
      )}
      {!isNothing && (
        <label className={`${classes['workflow']} field`}>
          Workflow
          <select
            value={chosen}
            onChange={({ target }) =>
              void navigate({
                search: {
                  ...(target.value === '' ? {} : { workflow: target.value }),
                  ...(from === undefined ? {} : { from }),
                },
                replace: true,
              })
            }
          >
            <option value="">{origin.data?.yaml === undefined ? 'Choose one' : `The text of ${from}`}</option>
            {[...new Set([...names, ...(chosen === '' ? [] : [chosen])])].map((name) => (
              <option key={name} value={name}>
                {shortened(name)}
              </option>
            ))}
          </select>
        </label>
      )}
      {from !== undefined && origin.data === undefined && origin.error === null && <Skeleton rows={6} />}
      {(from === undefined || origin.data !== undefined) && (chosen !== '' || origin.data?.yaml !== undefined) && (
        <ChosenForm key={`${chosen} ${from}`} chosen={chosen} origin={origin.data} />
      )}
    </Screen>
  );
}

/** Returns a reference with the first characters of its hash. */
const shortened = (reference: string): string => reference.replace(/(@.{12}).*$/, '$1');

interface ChosenFormProps {
  /** Reference of a published workflow; empty: the text of the other run. */
  readonly chosen: string;
  readonly origin: ReturnType<typeof useOrigin>['data'];
}

function ChosenForm({ chosen, origin }: ChosenFormProps) {
  const [name = '', hash] = chosen.split('@');
  const current = useQuery({ ...workflowQuery(name), enabled: name !== '' && hash === undefined });
  const version = useQuery({ ...versionQuery(name, hash ?? ''), enabled: hash !== undefined });
  const { data, error, refetch } = hash === undefined ? current : version;
  const text = chosen === '' ? origin?.yaml : data?.yaml;
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (text === undefined) return <Skeleton rows={6} />;
  const workflow: WorkflowChoice = chosen === '' ? { yaml: text } : chosen;
  return <StartForm workflow={workflow} variables={variablesIn(text)} origin={origin} />;
}
