import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { useCaller } from '../../api/use-caller.ts';
import { Menu, MenuItem } from '../controls/menu.tsx';
import type { CommandLine } from './command-line.ts';
import { shellTextOf } from './command-line.ts';
import classes from './copy-as.module.css';
import type { OperationCopy } from './copy-of.ts';
import { curlOf } from './copy-of.ts';

/** Menu that copies an operation as a command, or as an HTTP request. */
export const CopyAs = ({ of }: { readonly of: OperationCopy }) => <CopyMenu of={{ '': of }} />;

/** Button that copies a command, without a request that does the same. */
export const CopyCommand = ({ of, label }: { readonly of: CommandLine; readonly label: string }) => (
  <span className={`${classes['copy']} inline wrap`}>
    <CopyButton label={label} text={shellTextOf(of)} />
  </span>
);

interface CopyMenuProps {
  /** Operations by the names of their actions; a single one needs no name. */
  readonly of: Readonly<Record<string, OperationCopy>>;
  /** Shows an icon alone, in the row of a table. */
  readonly isSmall?: boolean;
}

/** Menu that copies actions as commands, or as HTTP requests. */
export function CopyMenu({ of, isSmall = false }: CopyMenuProps) {
  const [isCopied, noteCopied] = useCopied();
  const Icon = isCopied ? Check : Copy;
  return (
    <Menu
      {...(isSmall ? { name: isCopied ? 'Copied' : 'Copy' } : {})}
      label={
        <>
          <Icon aria-hidden size={14} /> {!isSmall && (isCopied ? 'Copied' : 'Copy')}
        </>
      }
    >
      <CopyItems of={of} copied={noteCopied} />
    </Menu>
  );
}

interface CopyItemsProps {
  readonly of: Readonly<Record<string, OperationCopy>>;
  readonly copied?: () => void;
}

/** Items of a menu that copy actions as commands, or as HTTP requests. */
export function CopyItems({ of, copied = () => undefined }: CopyItemsProps) {
  const server = useServer();
  return Object.entries(of).flatMap(([name, operation]) =>
    [
      { form: 'CLI', text: shellTextOf(operation) },
      { form: 'curl', text: curlOf(operation.request, server) },
    ].map(({ form, text }) => (
      <MenuItem
        key={`${name} ${form}`}
        act={() => void navigator.clipboard.writeText(text).then(copied)}
        title={beginningOf(text)}
      >
        {name === '' ? `Copy as ${form}` : `${name}: copy as ${form}`}
      </MenuItem>
    )),
  );
}

const useServer = () => ({ origin: location.origin, isOpen: useCaller().data?.open ?? true });

const mostShown = 1000;

/** Returns as much of a text as a tooltip can show. */
const beginningOf = (text: string): string => (text.length > mostShown ? `${text.slice(0, mostShown)}…` : text);

/** Returns whether something was just copied, and the function that notes it. */
function useCopied(): readonly [isCopied: boolean, note: () => void] {
  const [isCopied, setCopied] = useState(false);
  const note = () => {
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return [isCopied, note];
}

interface CopyProps {
  readonly label: string;
  readonly text: string;
}

/** Button that copies a text, and says so. */
export function CopyButton({ label, text }: CopyProps) {
  const [isCopied, note] = useCopied();
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    note();
  };
  const Icon = isCopied ? Check : Copy;
  return (
    <button type="button" className="link-button inline" onClick={() => void copy()} title={beginningOf(text)}>
      <Icon aria-hidden size={13} /> {isCopied ? 'Copied' : label}
    </button>
  );
}
