import type { Diagnostic } from '@millrace/client';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { ErrorCode, Problem } from '../../kit/states/problem.tsx';
import { Prose } from '../../kit/values/prose.tsx';
import type { Check } from '../draft/use-check.ts';
import { withSeverity } from '../draft/use-check.ts';
import classes from '../text/workflow-editor.module.css';

interface ProblemsProps {
  readonly check: Check;
  readonly goTo: (line: number, column: number) => void;
}

/** Problems that are shown; a text with more has one cause for most of them. */
const mostShown = 200;

/** Element that lists the problems, to which the toolbar leads. */
export const problemsId = 'problems-of-the-text';

/** Problems that the server has found in the text, errors first, each with a link to its line. */
export function Problems({ check: { checked, error, isChecking, retry }, goTo }: ProblemsProps) {
  const diagnostics = ['error', 'warning'].flatMap((severity) =>
    (checked?.diagnostics ?? []).filter((one) => one.severity === severity),
  );
  return (
    <section id={problemsId} className={`${classes['problems']} panel`} aria-label="What the server says" tabIndex={-1}>
      <p role="status">{isChecking && checked === undefined ? 'checking…' : summaryOf(diagnostics)}</p>
      {error !== null && <Problem error={error} retry={retry} />}
      <ul aria-label="Problems">
        {diagnostics.slice(0, mostShown).map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same problem may be at one place twice
          <li key={`${one.code} ${one.line} ${one.column} ${at}`} className="row wrap">
            <Severity of={one.severity} />
            <button type="button" className="link-button mono" onClick={() => goTo(one.line, one.column)}>
              line {one.line}:{one.column}
            </button>
            <ErrorCode code={one.code} />
            <span>
              <Prose text={one.message} />
              {one.hint !== undefined && (
                <small className={classes['hint']}>
                  <Prose text={one.hint} />
                </small>
              )}
            </span>
          </li>
        ))}
      </ul>
      {diagnostics.length > mostShown && <p>and {diagnostics.length - mostShown} more</p>}
    </section>
  );
}

function Severity({ of }: { readonly of: Diagnostic['severity'] }) {
  const [Icon, tone] = of === 'error' ? [CircleAlert, 'failed'] : [TriangleAlert, 'waiting'];
  return <Icon aria-label={of} role="img" size={14} className="ink" data-tone={tone} />;
}

/** Returns the number of errors and warnings in words. */
export function summaryOf(diagnostics: readonly Diagnostic[]): string {
  const [errors, warnings] = [withSeverity(diagnostics, 'error').length, withSeverity(diagnostics, 'warning').length];
  if (errors + warnings === 0) return 'No problems';
  return [counted(errors, 'error'), counted(warnings, 'warning')].filter((part) => part !== '').join(' · ');
}

const counted = (count: number, noun: string): string =>
  count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`;
