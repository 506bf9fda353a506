import type { ActivationId } from '../model/ids.ts';

/** A question: that of an activation, or that about the call of a tool at a place. */
export interface QuestionPlace {
  readonly activation: ActivationId;
  readonly place?: number;
  /** Number of the question among those about a call at this place, from 2; absent: the first one. */
  readonly question?: number;
}

type Loose<T> = { readonly [K in keyof T]: T[K] | undefined };

/** Form of the id of a question, after the id of its run and a point. */
export const questionPattern = /a\d{1,15}(\.\d{1,9}(-\d{1,9})?)?/;

/**
 * Returns the id of a question: `RUN.ACTIVATION`, `RUN.ACTIVATION.CALL` if it is about a call, and `RUN.ACTIVATION.CALL-2` if
 * that is the second question about a call at this place. No two questions of a run have the same id.
 */
export function questionId(
  run: string,
  { activation, place, question }: { readonly activation: string } & Loose<Omit<QuestionPlace, 'activation'>>,
): string {
  if (place === undefined) return `${run}.${activation}`;
  return `${run}.${activation}.${place}${question === undefined ? '' : `-${question}`}`;
}

/** Parses an id that has the form of a question. */
export function parseQuestionId(id: string): QuestionPlace & { readonly run: string } {
  const [run = '', name, call] = id.split('.');
  const activation = name as ActivationId; // the caller has checked the form of the id
  if (call === undefined) return { run, activation };
  const [place, question] = call.split('-').map(Number);
  return { run, activation, place: place ?? 0, ...(question === undefined ? {} : { question }) };
}
