import { expect, it } from 'vitest';
import type { QuestionPlace } from './question-id.ts';
import { parseQuestionId, questionId, questionPattern } from './question-id.ts';

const pattern = new RegExp(`^run_1\\.${questionPattern.source}$`);

it.each<[string, QuestionPlace]>([
  ['run_1.a7', { activation: 'a7' }],
  ['run_1.a7-2', { activation: 'a7', question: 2 }],
  ['run_1.a7.0', { activation: 'a7', place: 0 }],
  ['run_1.a7.3-12', { activation: 'a7', place: 3, question: 12 }],
])('has the id %s', (id, place) => {
  expect(questionId('run_1', place)).toBe(id);
  expect(id).toMatch(pattern);
  expect(parseQuestionId(id)).toEqual({ run: 'run_1', ...place });
});

it.each(['a7-0', 'a7-1', 'a7-02', 'a7.03', 'a7.3-1', 'a7-2.3', 'a7.', 'a7-'])('has no second id such as %s', (name) => {
  expect(`run_1.${name}`).not.toMatch(pattern);
});
