import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCaller } from '../../api/use-caller.ts';
import { Screen } from '../../kit/layout/screen.tsx';
import { Skeleton } from '../../kit/states/empty.tsx';
import { useDraft } from '../draft/use-draft.ts';
import { graphIdIn } from '../text/graph-id.ts';
import workflows from '../workflows.module.css';
import { WorkflowEditor } from './workflow-editor.tsx';

const template = `# Paste a workflow here, of Millrace or of ChatDev, or change this one.
graph:
  id: poem
  nodes:
    - id: Writer
      type: agent
      config:
        provider: scripted
        name: parrot
        role: You write poems of four lines.
    - id: Reviewer
      type: human
      config:
        description: Is it good?
  edges:
    - from: Writer
      to: Reviewer
`;

const validName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
/** Names that addresses of the dashboard have for other things. */
const reserved = new Set(['new']);

/** A workflow that is not published yet, with the editor. */
export function NewWorkflowScreen() {
  const { data: me } = useCaller();
  return (
    <Screen title="New workflow">
      {me === undefined ? <Skeleton rows={12} /> : <NewWorkflow tenant={me.tenant} />}
    </Screen>
  );
}

function NewWorkflow({ tenant }: { readonly tenant: string }) {
  const access = useDraft({ tenant, name: '' }, { text: template, base: null });
  const [written, setName] = useState('');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const name = written === '' ? idIn(access.draft.text) : written;
  const isValid = validName.test(name) && !reserved.has(name);
  return (
    <>
      <label className={`${workflows['name']} row wrap strong`}>
        Name
        <input
          value={written}
          placeholder={name}
          aria-invalid={!isValid}
          aria-describedby="name-of-workflow"
          onChange={({ target }) => setName(target.value.trim())}
        />
        <small id="name-of-workflow">Letters, digits, ., _ and -; runs are started by it.</small>
      </label>
      <WorkflowEditor
        name={isValid ? name : undefined}
        access={access}
        original={template}
        published={async () => {
          access.restart({ text: template, base: null });
          await queries.invalidateQueries({ queryKey: ['workflows'] });
          void navigate({ to: '/workflows/$name/versions', params: { name } });
        }}
      />
    </>
  );
}

/** Returns the id of the graph of a text as a name. */
const idIn = (text: string): string =>
  graphIdIn(text)
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 100);
