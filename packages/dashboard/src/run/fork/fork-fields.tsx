import type { ForkDraft } from './fork-change.ts';
import { wrongLines } from './fork-change.ts';
import classes from './fork-dialog.module.css';

interface ForkFieldsProps {
  readonly draft: ForkDraft;
  readonly change: (changed: Partial<ForkDraft>) => void;
  /** Variables that the run was started with. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** The node calls a model, so it has a prompt. */
  readonly asksModel: boolean;
}

/** Fields for the differences of a fork. */
export function ForkFields({ draft, change, vars, asksModel }: ForkFieldsProps) {
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
          <label className={classes['field']}>
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
  <label className={classes['field']}>
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
