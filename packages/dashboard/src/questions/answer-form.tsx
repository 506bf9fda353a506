import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ApprovalAnswer } from './approval-answer.tsx';
import { DataAnswer } from './data-answer.tsx';
import { TextAnswer } from './text-answer.tsx';
import type { AskedTask } from './use-tasks.ts';

interface AnswerFormProps {
  readonly task: AskedTask;
  /** Called once the answer is stored. */
  readonly answered: () => void;
}

/** The form that answers a question: with a text, with the data of its schema, or with the decision on a call. */
export function AnswerForm({ task, answered }: AnswerFormProps) {
  const place = useFocusByAddress(task.id);
  const Form = task.approval !== undefined ? ApprovalAnswer : task.schema === undefined ? TextAnswer : DataAnswer;
  return (
    <div ref={place}>
      <Form task={task} answered={answered} />
    </div>
  );
}

/** Returns the name by which an address gives the focus to the first field of a form. */
export const answerField = (task: string): string => `answer-${task}`;

/** Gives the focus to the first field of a form when the address names it. */
function useFocusByAddress(task: string) {
  const { hash } = useLocation();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (hash === answerField(task)) place.current?.querySelector<HTMLElement>('[data-answer]')?.focus();
  }, [hash, task]);
  return place;
}
