import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { offeredWorkflowsQuery } from '../../api/workflow-queries.ts';
import { Field } from './field.tsx';

interface WorkflowFieldProps {
  readonly value: string;
  readonly change: (workflow: string) => void;
}

/** A field for a published workflow, as NAME or NAME@HASH, with the existing names as options. */
export function WorkflowField({ value, change }: WorkflowFieldProps) {
  const list = useId();
  const { data } = useQuery(offeredWorkflowsQuery);
  return (
    <Field label="Workflow" hint="A published one, as NAME or NAME@HASH.">
      {(ids) => (
        <>
          <input {...ids} list={list} required value={value} onChange={({ target }) => change(target.value)} />
          <datalist id={list}>
            {data?.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
