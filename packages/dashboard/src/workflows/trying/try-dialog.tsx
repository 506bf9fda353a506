import type { Diagnostic } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { CopyAs } from '../../kit/commands/copy-as.tsx';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { Dialog } from '../../kit/controls/dialog.tsx';
import { Segmented } from '../../kit/controls/segmented.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { adviceFor } from '../chatdev/chatdev.ts';
import classes from '../editor/workflow-editor.module.css';
import workflows from '../workflows.module.css';
import { asksRealModels, withScriptedModels } from './scripted.ts';

interface TryDialogProps {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly close: () => void;
}

/** Tag of runs of texts that are being written. */
const draftTag = 'draft';

/** Dialog that starts the text as a run, with its models or with scripted ones. */
export function TryDialog({ text, diagnostics, close }: TryDialogProps) {
  const asksModels = useMemo(() => asksRealModels(text), [text]);
  const [models, setModels] = useState<'scripted' | 'real'>(asksModels ? 'scripted' : 'real');
  const [reply, setReply] = useState('');
  const [input, setInput] = useState('');
  const [limit, setLimit] = useState('');
  const [vars, setVars] = useState<Readonly<Record<string, string>>>({});
  const yaml = models === 'scripted' ? withScriptedModels(text, reply) : text;
  const missing = adviceFor(yaml, diagnostics).variables.filter((name) => yaml.includes(`\${${name}}`));
  const given = Object.fromEntries(missing.map((name) => [name, parsed(vars[name] ?? '')]));
  const options = {
    input,
    tags: [draftTag],
    ...(missing.length === 0 ? {} : { vars: given }),
    ...(models === 'scripted' || limit === '' ? {} : { budget: { usd: Number(limit) } }),
  };
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => millrace.runs.start({ yaml }, options),
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['runs'] });
      void navigate({ to: '/runs/$run/graph', params: { run: id } });
    },
  });
  return (
    <Dialog title="Try this text" size="large" close={close}>
      <form
        className={workflows['form']}
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <p>
          The text is started as a run of this installation, tagged <code>{draftTag}</code>. It is stored like every
          run; nothing is published, and the text stays here.
        </p>
        {asksModels && (
          <Segmented
            label="Models"
            options={{ scripted: 'Scripted models', real: 'Models as written' }}
            value={models}
            choose={setModels}
          />
        )}
        {models === 'scripted' ? (
          <label className={workflows['field']}>
            What each model answers; empty: it repeats what it is told
            <textarea rows={2} value={reply} onChange={({ target }) => setReply(target.value)} />
          </label>
        ) : (
          asksModels && (
            <label className={workflows['field']}>
              Budget in US dollars; empty: as the workflow says
              <input type="number" min="0" step="any" value={limit} onChange={({ target }) => setLimit(target.value)} />
            </label>
          )
        )}
        <label className={workflows['field']}>
          Task
          <textarea rows={3} value={input} onChange={({ target }) => setInput(target.value)} />
        </label>
        {missing.map((name) => (
          <label key={name} className={workflows['field']}>
            <span>
              Variable <code>{name}</code>
            </span>
            <input
              required
              value={vars[name] ?? ''}
              onChange={({ target }) => setVars((before) => ({ ...before, [name]: target.value }))}
            />
          </label>
        ))}
        {error !== null && <Problem error={error} />}
        <div className={workflows['buttons']}>
          <button type="submit" className="button primary" disabled={isPending}>
            Start
          </button>
          <span className={classes['hint']}>
            {models === 'scripted'
              ? 'No model is asked, and nothing is paid.'
              : asksModels
                ? 'Models are asked, which costs money.'
                : ''}
          </span>
          <CopyAs of={copyOf('runs.start', { workflow: { yaml }, ...options })} />
        </div>
      </form>
    </Dialog>
  );
}

/** Returns the value of a variable: parsed as JSON if it is valid, else the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
