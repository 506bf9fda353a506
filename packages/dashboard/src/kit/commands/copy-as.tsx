import { Check, Copy, Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useCaller } from '../../api/use-caller.ts';
import { Menu, MenuItem } from '../controls/menu.tsx';
import type { CommandLine } from './command-line.ts';
import { shellTextOf } from './command-line.ts';
import classes from './copy-as.module.css';
import type { OperationCopy } from './copy-of.ts';
import { curlOf } from './copy-of.ts';

interface CopyAsProps {
  readonly of: OperationCopy;
  /** Name of the action, where the buttons are beside those of another one. */
  readonly action?: string;
}

/** Buttons that copy an operation as a command or as an HTTP request. */
export function CopyAs({ of, action }: CopyAsProps) {
  const server = useServer();
  const verb = action === undefined ? 'Copy' : `Copy ${action}`;
  return (
    <span className={`${classes['copy']} inline wrap`}>
      <CopyButton label={`${verb} as CLI`} text={shellTextOf(of)} />
      <CopyButton label={`${verb} as curl`} text={curlOf(of.request, server)} />
    </span>
  );
}

/** Button that copies a command, without a request that does the same. */
export const CopyCommand = ({ of, label }: { readonly of: CommandLine; readonly label: string }) => (
  <span className={`${classes['copy']} inline wrap`}>
    <CopyButton label={label} text={shellTextOf(of)} />
  </span>
);

/** Menu that copies actions, by their names, as commands and as requests, where there is no place for buttons. */
export function CopyMenu({ of }: { readonly of: Readonly<Record<string, OperationCopy>> }) {
  const server = useServer();
  return (
    <Menu label={<Ellipsis aria-hidden size={16} />} name="Copy as a command">
      {Object.entries(of).flatMap(([name, copied]) => [
        <CopyItem key={`${name} CLI`} label={`${name}: copy as CLI`} text={shellTextOf(copied)} />,
        <CopyItem key={`${name} curl`} label={`${name}: copy as curl`} text={curlOf(copied.request, server)} />,
      ])}
    </Menu>
  );
}

const useServer = () => ({ origin: location.origin, isOpen: useCaller().data?.open ?? true });

const mostShown = 1000;

/** Returns as much of a text as a tooltip can show. */
const beginningOf = (text: string): string => (text.length > mostShown ? `${text.slice(0, mostShown)}…` : text);

interface CopyProps {
  readonly label: string;
  readonly text: string;
}

const CopyItem = ({ label, text }: CopyProps) => (
  <MenuItem act={() => void navigator.clipboard.writeText(text)} title={beginningOf(text)}>
    {label}
  </MenuItem>
);

/** Button that copies a text, and says so. */
export function CopyButton({ label, text }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  const Icon = isCopied ? Check : Copy;
  return (
    <button type="button" className="link-button inline" onClick={() => void copy()} title={beginningOf(text)}>
      <Icon aria-hidden size={13} /> {isCopied ? 'Copied' : label}
    </button>
  );
}
