import type { ActivationDetail, ModelUsage } from '@millrace/client';
import { addUsage, tokensOf } from '@millrace/core/usage';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { CopyAs } from '../../kit/commands/copy-as.tsx';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { Segmented } from '../../kit/controls/choices.tsx';
import { Dialog, useFocusedFirstField } from '../../kit/controls/dialog.tsx';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { formatCount, formatCounted, formatMoney } from '../../kit/values/format.ts';
import { runWorkflowQuery } from '../follow/run-queries.ts';
import { CopyProgress, newRunId } from './copy-progress.tsx';
import type { Difference, ForkDraft, ModelSettings } from './fork-change.ts';
import { differencesOf, requestOf, wrongLines } from './fork-change.ts';
import classes from './fork-dialog.module.css';

interface ForkDialogProps {
  readonly run: string;
  readonly activation: string;
  /** Difference that is chosen at first; absent: the one that is most likely wanted. */
  readonly first?: Difference;
  readonly close: () => void;
}

/** Dialog that forks the run at an activation. */
export function ForkDialog({ run, activation, first, close }: ForkDialogProps) {
  const { data, error } = useQuery({
    queryKey: ['run', run, 'activation', activation, 'whole'],
    queryFn: () => millrace.runs.get(run).activation(activation),
  });
  const preview = useForkPreview(run, activation);
  return (
    <Dialog
      title={`Fork at ${data === undefined ? activation : `${nameOf(data)}, ${activation}`}`}
      close={close}
      size="large"
    >
      {error !== null && <Problem error={error} />}
      {preview.error !== null && <Problem error={preview.error} />}
      {(data === undefined || preview.isPending) && error === null && <Skeleton rows={4} />}
      {data !== undefined && !preview.isPending && (
        <ForkForm
          run={run}
          of={data}
          settings={preview.data?.settings ?? { prompt: '', model: '' }}
          {...(first === undefined ? {} : { first })}
        />
      )}
    </Dialog>
  );
}

const nameOf = ({ node, unit }: ActivationDetail): string =>
  `${node === '' ? 'the vote' : node}${unit === undefined ? '' : `, unit ${unit + 1}`}`;

interface ForkFormProps {
  readonly run: string;
  readonly of: ActivationDetail;
  /** Settings of the node in the original run; both are empty for a node that calls no model. */
  readonly settings: ModelSettings;
  readonly first?: Difference;
}

function ForkForm({ run, of, settings, first }: ForkFormProps) {
  const { id: activation, output, input, state } = of;
  const form = useRef<HTMLFormElement>(null);
  useFocusedFirstField(form);
  const [draft, setDraft] = useState<ForkDraft>({
    difference: first ?? likelyDifference(settings, state),
    output: output.at(-1)?.text ?? '',
    input: input.map(({ text }) => text).join('\n\n'),
    ...settings,
    variables: '',
  });
  const { data: workflow } = useQuery(runWorkflowQuery(run));
  const navigate = useNavigate();
  // The same request twice makes one run.
  const [runId] = useState(newRunId);
  const request = requestOf(activation, draft, settings);
  const isWrong = draft.difference === 'settings' && wrongLines(draft.variables).length > 0;
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => millrace.runs.get(run).fork({ ...request, runId }),
    onSuccess: ({ id }) => void navigate({ to: '/runs/$run/graph', params: { run: id } }),
  });
  return (
    <form
      ref={form}
      className={`${classes['form']} stack`}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending && !isWrong) mutate();
      }}
    >
      <Segmented
        label="What differs in the new run"
        options={differencesOf(settings.model !== '')}
        value={draft.difference}
        choose={(difference) => setDraft({ ...draft, difference })}
      />
      <ForkFields
        draft={draft}
        change={(changed) => setDraft({ ...draft, ...changed })}
        vars={workflow?.vars ?? {}}
        asksModel={settings.model !== ''}
      />
      <ForkPreview run={run} activation={activation} isAsked={draft.difference !== 'output'} />
      {isPending && <CopyProgress run={runId} />}
      {error !== null && <Problem error={error} />}
      <div className={`${classes['buttons']} row wrap`}>
        <CopyAs of={copyOf('runs.fork', { id: run, ...request })} />
        <button type="submit" className="button primary" disabled={isPending || isWrong}>
          Fork
        </button>
      </div>
    </form>
  );
}

/** Returns the difference that is most likely wanted: another prompt where there is one; a failed activation has no output. */
function likelyDifference({ model }: ModelSettings, state: ActivationDetail['state']): Difference {
  if (model !== '') return 'settings';
  return state === 'failed' ? 'again' : 'output';
}

interface ForkFieldsProps {
  readonly draft: ForkDraft;
  readonly change: (changed: Partial<ForkDraft>) => void;
  /** Variables that the run was started with. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** The node calls a model, so it has a prompt. */
  readonly asksModel: boolean;
}

/** Fields for the differences of a fork. */
function ForkFields({ draft, change, vars, asksModel }: ForkFieldsProps) {
  const { difference, output, input, prompt, model, variables } = draft;
  if (difference === 'output')
    return <Text label="Output" value={output} change={(value) => change({ output: value })} />;
  if (difference === 'input') return <Text label="Input" value={input} change={(value) => change({ input: value })} />;
  if (difference === 'again') return null;
  const wrong = wrongLines(variables);
  const known = Object.keys(vars);
  return (
    <>
      {asksModel && (
        <>
          <Text label="Prompt" rows={5} value={prompt} change={(value) => change({ prompt: value })} />
          <label className={`${classes['field']} field`}>
            Model
            <input value={model} onChange={({ target }) => change({ model: target.value })} />
          </label>
        </>
      )}
      <Text
        label="Variables"
        rows={3}
        value={variables}
        placeholder={`${known[0] ?? 'NAME'}=another value, one a line`}
        change={(value) => change({ variables: value })}
        problem={wrong.length === 0 ? undefined : `“${wrong[0]}” is no NAME=VALUE.`}
      />
    </>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly rows?: number;
  readonly placeholder?: string;
  readonly problem?: string | undefined;
}

const Text = ({ label, value, change, rows = 8, placeholder = '', problem }: TextProps) => (
  <label className={`${classes['field']} field`}>
    {label}
    <textarea
      rows={rows}
      value={value}
      placeholder={placeholder}
      aria-invalid={problem !== undefined}
      onChange={({ target }) => change(target.value)}
    />
    {problem !== undefined && <small role="alert">{problem}</small>}
  </label>
);

interface ForkPreviewProps {
  readonly run: string;
  readonly activation: string;
  /** The activation is executed again; otherwise it has an output. */
  readonly isAsked: boolean;
}

/** Loads the calls that a fork would keep or pay again, and the settings that can be changed in it. */
const useForkPreview = (run: string, activation: string) =>
  useQuery({
    queryKey: ['run', run, 'fork', activation],
    queryFn: () => millrace.runs.get(run).previewFork(activation),
  });

/** Calls that a fork keeps, and calls that it makes again, according to the journal. */
function ForkPreview({ run, activation, isAsked }: ForkPreviewProps) {
  const { data, error } = useForkPreview(run, activation);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <p role="status">Counting what is paid again…</p>;
  const others = data.live.filter((id) => id !== activation);
  return (
    <dl className={`${classes['preview']} facts`}>
      <dt>Kept, not paid again</dt>
      <dd>
        {countOf(data.kept)}, {usageOf(isAsked ? data.inherited : addUsage(data.inherited, data.own))}
      </dd>
      <dt>Executed again</dt>
      <dd>
        {isAsked ? activation : `nothing but what follows ${activation}`}
        {others.length > 0 && `; ${others.slice(0, 8).join(', ')}${others.length > 8 ? ' …' : ''} continue`}
        {data.following > 0 && `; ${countOf(data.following)} followed in this run`}
      </dd>
      <dt>Paid again, about</dt>
      <dd>{usageOf(isAsked ? addUsage(data.own, data.after) : data.after)}</dd>
    </dl>
  );
}

const countOf = (activations: number): string => formatCounted(activations, 'activation');

function usageOf(usage: ModelUsage): string {
  const { calls, microUsd } = usage;
  if (calls === 0) return 'no model calls';
  const tokens = `${formatCount(tokensOf(usage))} tokens`;
  const cost = microUsd === undefined ? 'cost unknown' : formatMoney(microUsd);
  return `${formatCounted(calls, 'call')}, ${tokens}, ${cost}`;
}
