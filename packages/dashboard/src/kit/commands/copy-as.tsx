import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import classes from './copy-as.module.css';
import type { Equivalent } from './equivalent.ts';
import { cliOf, curlOf } from './equivalent.ts';

/** Buttons that copy what does the same on the command line, or over HTTP. */
export const CopyAs = ({ of }: { readonly of: Equivalent }) => (
  <span className={classes['copy']}>
    <CopyButton label="Copy as CLI" text={cliOf(of)} />
    <CopyButton label="Copy as curl" text={curlOf(of)} />
  </span>
);

function CopyButton({ label, text }: { readonly label: string; readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  const Icon = isCopied ? Check : Copy;
  return (
    <button type="button" onClick={() => void copy()} title={text}>
      <Icon aria-hidden size={13} /> {isCopied ? 'Copied' : label}
    </button>
  );
}
