import type { Diagnostic } from '@millrace/client';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Prose } from '../../kit/values/prose.tsx';
import classes from '../text/workflow-editor.module.css';
import type { CheckedText } from '../text/yaml-editor.tsx';
import { adviceFor, followingChatDev, followsChatDev } from './chatdev.ts';

const guide = 'https://github.com/millrace/millrace/blob/main/docs/guide';

interface ChatDevNoteProps {
  readonly checked: CheckedText;
  readonly goTo: (line: number, column: number) => void;
  readonly replace: (text: string) => void;
  readonly close: () => void;
}

/** Changes that a pasted file of ChatDev needs before it can run here. */
export function ChatDevNote({ checked, goTo, replace, close }: ChatDevNoteProps) {
  const { variables, secrets, functions, files, others } = adviceFor(checked.text, checked.diagnostics);
  const isReady = variables.length + functions.length + files.length + others.length === 0;
  return (
    <section className={`${classes['chatdev']} note stack`} aria-label="This is a workflow of ChatDev">
      <header className={`${classes['head']} row wrap`}>
        <h2>This is a workflow of ChatDev</h2>
        <button
          type="button"
          className={`${classes['close']} icon-button`}
          onClick={close}
          aria-label="Close the notes on ChatDev"
        >
          <X aria-hidden size={14} />
        </button>
      </header>
      <p>
        Nodes, edges, conditions, loops and memories mean the same here
        {isReady ? ', and nothing is missing.' : '. Before it runs:'}
      </p>
      <ul>
        {variables.length > 0 && (
          <li>
            {variables.length === 1 ? 'One variable has' : `${variables.length} variables have`} no value:{' '}
            <Names of={variables} />. Write {variables.length === 1 ? 'it' : 'them'} under <code>vars</code>, or give a
            value with each run.
          </li>
        )}
        {secrets.length > 0 && (
          <li>
            <Names of={secrets} /> {secrets.length === 1 ? 'is a secret' : 'are secrets'}: the workers take the value
            from their own environment, and it is stored nowhere.
          </li>
        )}
        <Group of={functions} label="This installation does not have:" goTo={goTo}>
          Functions of Python files are loaded from the folder in <code>MILLRACE_FUNCTIONS_DIR</code>.
        </Group>
        <Group of={files} label="Files are not sent with a workflow:" goTo={goTo}>
          Write a subgraph into the text, with <code>type: config</code> in place of <code>type: file</code>.
        </Group>
        {others.length > 0 && (
          <li>
            {others.length === 1 ? 'One error is' : `${others.length} errors are`} listed below, with{' '}
            {others.length === 1 ? 'its line and its code' : 'their lines and codes'}.
          </li>
        )}
      </ul>
      <p className={`${classes['links']} row wrap`}>
        {!followsChatDev(checked.text) && (
          <button type="button" className="button" onClick={() => replace(followingChatDev(checked.text))}>
            Do as ChatDev does where Millrace differs (compat: chatdev)
          </button>
        )}
        <a href={`${guide}/chatdev-compatibility.md`} target="_blank" rel="noopener noreferrer">
          All differences
        </a>
        <a href={`${guide}/workflow-editor.md#files-of-chatdev`} target="_blank" rel="noopener noreferrer">
          How to bring a file over
        </a>
      </p>
    </section>
  );
}

const Names = ({ of }: { readonly of: readonly string[] }) =>
  of.map((name, at) => (
    <span key={name}>
      {at > 0 && ', '}
      <code>{name}</code>
    </span>
  ));

interface GroupProps {
  readonly of: readonly Diagnostic[];
  readonly label: string;
  readonly goTo: ChatDevNoteProps['goTo'];
  readonly children?: ReactNode;
}

function Group({ of, label, goTo, children }: GroupProps) {
  if (of.length === 0) return null;
  return (
    <li>
      {label}
      <ul>
        {of.map(({ line, column, message }) => (
          <li key={`${line} ${column} ${message}`}>
            <button type="button" className="link-button mono" onClick={() => goTo(line, column)}>
              line {line}
            </button>{' '}
            <Prose text={message} />
          </li>
        ))}
      </ul>
      {children}
    </li>
  );
}
