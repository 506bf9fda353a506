import type { Run } from '@millrace/client';
import { Link, useNavigate } from '@tanstack/react-router';
import { answerField } from '../../inbox/answer-form.tsx';
import { useShortcut } from '../../kit/shortcuts/use-shortcut.ts';

/** Link to the form for the answer to the first question that a run waits for. */
export function AnswerLink({ run: { runId, tasks } }: { readonly run: Run }) {
  const navigate = useNavigate();
  const [first, ...others] = tasks;
  const place = { to: '/runs/$run/graph', params: { run: runId }, hash: answerField(first?.id ?? '') } as const;
  useShortcut('answer', () => void navigate(place), first !== undefined);
  if (first === undefined) return null;
  return (
    <Link className="button primary" {...place}>
      {others.length === 0 ? 'Answer the question' : 'Answer the first question'}
    </Link>
  );
}
