import type { ActivationId } from '../model/ids.ts';

/** A question: that of an activation, or that about the call of a tool at a place. */
export interface QuestionPlace {
  readonly activation: ActivationId;
  readonly place?: number;
  /**
   * Number of the question, from 2; absent: the first one. Without a place, it is the number of the suspension with which the
   * activation asks; with a place, it is counted among the questions about a call at this place.
   */
  readonly question?: number;
}

type Loose<T> = { readonly [K in keyof T]: T[K] | undefined };

/** Form of the id of a question, after the id of its run and a point. Each question has one id. */
export const questionPattern = /a\d{1,15}(\.(0|[1-9]\d{0,8}))?(-([2-9]|[1-9]\d{1,8}))?/;

/**
 * Returns the id of a question: `RUN.ACTIVATION`, or `RUN.ACTIVATION.CALL` if it is about a call; `RUN.ACTIVATION-2` and
 * `RUN.ACTIVATION.CALL-2` are second questions. No two questions of a run have the same id.
 */
export function questionId(
  run: string,
  { activation, place, question }: { readonly activation: string } & Loose<Omit<QuestionPlace, 'activation'>>,
): string {
  const call = place === undefined ? '' : `.${place}`;
  const number = question === undefined ? '' : `-${question}`;
  return `${run}.${activation}${call}${number}`;
}

/** Parses an id that has the form of a question. */
export function parseQuestionId(id: string): QuestionPlace & { readonly run: string } {
  const [run = '', ...names] = id.split('.');
  const [what = '', question] = names.join('.').split('-');
  const [activation, place] = what.split('.');
  return {
    run,
    activation: activation as ActivationId, // the caller has checked the form of the id
    ...(place === undefined ? {} : { place: Number(place) }),
    ...(question === undefined ? {} : { question: Number(question) }),
  };
}

/** Returns the question that an activation asks with a suspension. */
export function questionOf<Id extends string>({
  activation,
  suspension,
}: {
  readonly activation: Id;
  readonly suspension?: number | undefined;
}): { readonly activation: Id; readonly question?: number } {
  return suspension === undefined ? { activation } : { activation, question: suspension };
}
