import type { GivenAnswer } from '@millrace/catalog';
import type { Task } from '@millrace/runtime';
import type { Answers, AnswerText } from '../files/test-file.ts';

/** An answer with everything that a test says of it. */
export interface PreparedAnswer {
  readonly given: GivenAnswer;
  readonly after: number;
  readonly by?: string;
}

/** The people of a test. */
export interface People {
  /** Returns the answer to a question of a node; undefined if there is none left. */
  answer(question: Pick<Task, 'node'>): PreparedAnswer | undefined;
  /** Descriptions of answers that were not given. */
  unused(): readonly string[];
}

/** Creates people who answer as a test says. */
export function createPeople(answers: Answers = []): People {
  if (Array.isArray(answers)) {
    const list = inOrder(answers, '');
    return { answer: () => list.next(), unused: () => list.unused() };
  }
  const byNode = new Map(
    Object.entries(answers).map(([node, given]) => [
      node,
      Array.isArray(given) ? inOrder(given, ` of "${node}"`) : toAll(given, ` of "${node}"`),
    ]),
  );
  return {
    answer: ({ node }) => byNode.get(node)?.next(),
    unused: () => [...byNode.values()].flatMap((list) => list.unused()),
  };
}

interface AnswerList {
  next(): PreparedAnswer | undefined;
  unused(): readonly string[];
}

function inOrder(list: readonly AnswerText[], whose: string): AnswerList {
  let at = 0;
  return {
    next() {
      const answer = list[at];
      if (answer === undefined) return undefined;
      at += 1;
      return prepared(answer);
    },
    unused: () => list.slice(at).map((answer) => `the answer ${answerText(prepared(answer))}${whose}`),
  };
}

function toAll(answer: AnswerText, whose: string): AnswerList {
  let isUsed = false;
  return {
    next() {
      isUsed = true;
      return prepared(answer);
    },
    unused: () => (isUsed ? [] : [`the answer ${answerText(prepared(answer))}${whose}`]),
  };
}

function prepared(answer: AnswerText): PreparedAnswer {
  if (typeof answer === 'string') return { given: { text: answer }, after: 0 };
  const { after = 0, by, ...given } = answer;
  return { given, after, ...(by !== undefined && { by }) };
}

/** Returns an answer as JSON, for messages. */
export const answerText = ({ given: { text, data } }: PreparedAnswer): string => JSON.stringify(data ?? text);
