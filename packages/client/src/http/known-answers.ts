/*
 * Answers that the server has tagged are kept for a while. Asked for again with the tag, the server sends them only if
 * they have changed.
 */

/** Answers that are kept, and the length of the longest one, in characters. */
const mostAnswers = 32;
const longestAnswer = 1_000_000;

interface KnownAnswer {
  readonly tag: string;
  /** JSON, which each caller gets objects of its own from. */
  readonly text: string;
}

/** Tagged answers by their addresses. */
export interface KnownAnswers {
  /** Returns the tag of the answer from an address; undefined if none is kept. */
  tagOf(address: string): string | undefined;
  /** Returns an answer that has not changed. */
  textOf(address: string): string | undefined;
  keep(address: string, answer: KnownAnswer): void;
}

/** Creates an empty store of answers. */
export function createKnownAnswers(): KnownAnswers {
  const answers = new Map<string, KnownAnswer>();
  return {
    tagOf: (address) => answers.get(address)?.tag,
    textOf: (address) => answers.get(address)?.text,
    keep(address, answer) {
      answers.delete(address);
      if (answer.text.length > longestAnswer) return;
      answers.set(address, answer);
      for (const oldest of answers.keys()) {
        if (answers.size <= mostAnswers) return;
        answers.delete(oldest);
      }
    },
  };
}
