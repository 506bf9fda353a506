import type { PublishedWorkflow } from '@millrace/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { useCaller } from '../../api/use-caller.ts';
import { versionQuery, workflowQuery } from '../../api/workflow-queries.ts';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { readDraft, useDraft, writeDraft } from '../draft/use-draft.ts';
import workflows from '../workflows.module.css';
import { WorkflowEditor } from './workflow-editor.tsx';

/** The editor of a published workflow: of its draft in this browser, of the current version, or of the one that the address names. */
export function EditTab() {
  const { name } = useParams({ from: '/workflows/$name' });
  const { version } = useSearch({ from: '/workflows/$name/edit' });
  const { data: current } = useQuery(workflowQuery(name));
  const { data: me } = useCaller();
  if (current === undefined || me === undefined) return <Skeleton rows={12} />;
  return version === undefined ? (
    <DraftOf key={name} tenant={me.tenant} current={current} />
  ) : (
    <EarlierVersion key={`${name} ${version}`} tenant={me.tenant} current={current} hash={version} />
  );
}

interface DraftOfProps {
  readonly tenant: string;
  readonly current: PublishedWorkflow;
}

/** Makes the text of an earlier version the draft; asks for confirmation before it replaces another draft. */
function EarlierVersion({ tenant, current, hash }: DraftOfProps & { readonly hash: string }) {
  const { name, hash: base, yaml } = current;
  const { data, error } = useQuery(versionQuery(name, hash));
  const navigate = useNavigate();
  const place = { tenant, name };
  const before = readDraft(place);
  const isFree = before === undefined || before.text === yaml || before.text === data?.yaml;
  const leave = () => void navigate({ to: '/workflows/$name/edit', params: { name }, search: {}, replace: true });
  const take = () => {
    if (data === undefined) return;
    writeDraft(place, { text: data.yaml, base });
    leave();
  };
  const takeWhenFree = useEffectEvent(() => isFree && take());
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the version has loaded
  useEffect(() => void takeWhenFree(), [data]);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined || isFree) return <Skeleton rows={12} />;
  return (
    <Empty title={`This browser has a draft of ${name}.`}>
      <p>The text of @{hash.slice(0, 6)} would replace it.</p>
      <p className={`${workflows['buttons']} row wrap`}>
        <button type="button" className="button" onClick={leave}>
          Keep the draft
        </button>
        <button type="button" className="button danger" onClick={take}>
          Replace the draft
        </button>
      </p>
    </Empty>
  );
}

function DraftOf({ tenant, current }: DraftOfProps) {
  const { name, hash, yaml } = current;
  const queries = useQueryClient();
  const [original, setOriginal] = useState(yaml);
  const access = useDraft({ tenant, name }, { text: yaml, base: hash });
  return (
    <WorkflowEditor
      name={name}
      access={access}
      original={original}
      published={({ hash: base, text }) => {
        setOriginal(text);
        access.restart({ text, base });
        void queries.invalidateQueries({ queryKey: ['workflows'] });
      }}
    />
  );
}
