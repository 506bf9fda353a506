import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { useCaller } from '../../api/use-caller.ts';
import { MenuItem } from '../controls/menu.tsx';
import classes from './copy-as.module.css';
import type { Copied } from './definition.ts';
import type { Equivalent } from './equivalent.ts';
import { cliOf, curlOf } from './equivalent.ts';

interface CopyAsProps {
  readonly of: Copied;
  /** Name of the action, where the buttons are beside those of another one. */
  readonly action?: string;
}

/** Buttons that copy the equivalent command line or HTTP request. */
export function CopyAs({ of, action }: CopyAsProps) {
  const server = useServer();
  const command = cliOf(of);
  const verb = action === undefined ? 'Copy' : `Copy ${action}`;
  return (
    <span className={classes['copy']}>
      {command !== undefined && <CopyButton label={`${verb} as CLI`} text={command} />}
      <CopyButton label={`${verb} as curl`} text={curlOf(of, server)} />
    </span>
  );
}

/** Button that copies a command line, without a request that does the same. */
export const CopyCommand = ({ of, label }: { readonly of: Equivalent; readonly label: string }) => (
  <span className={classes['copy']}>
    <CopyButton label={label} text={cliOf(of) ?? ''} />
  </span>
);

/** Items of a menu that copy several actions, by their names. */
export function CopyItems({ of }: { readonly of: Readonly<Record<string, Copied>> }) {
  const server = useServer();
  return Object.entries(of).flatMap(([name, equivalent]) => {
    const command = cliOf(equivalent);
    return [
      command !== undefined && <CopyItem key={`${name} CLI`} label={`${name}: copy as CLI`} text={command} />,
      <CopyItem key={`${name} curl`} label={`${name}: copy as curl`} text={curlOf(equivalent, server)} />,
    ];
  });
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

function CopyButton({ label, text }: CopyProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  const Icon = isCopied ? Check : Copy;
  return (
    <button type="button" onClick={() => void copy()} title={beginningOf(text)}>
      <Icon aria-hidden size={13} /> {isCopied ? 'Copied' : label}
    </button>
  );
}
