/** Cortex Analyst: finds the figures of a semantic view that a question names, and writes the SQL. Runs nothing. Pure. */
import type { Figure, SemanticView } from './semantic-views.ts';

/** A part of an answer. */
export type AnalystContent =
  | { type: 'text'; text: string }
  | { type: 'sql'; statement: string }
  | { type: 'suggestions'; suggestions: string[] };

/** @param question the last message of the user */
export function answerQuestion(view: SemanticView, question: string): AnalystContent[] {
  const words = new Set(question.toLowerCase().match(/\p{L}+/gu) ?? []);
  const named = (figures: readonly Figure[]): Figure[] =>
    figures.filter((figure) => figure.words.some((word) => words.has(word)));
  const [metrics, dimensions] = [named(view.metrics), named(view.dimensions)];
  if (metrics.length === 0)
    return [
      { type: 'text', text: 'The question names none of the figures of this semantic view.' },
      {
        type: 'suggestions',
        suggestions: view.metrics.map(({ words: [word = ''] }) => `What is the ${word} per month?`),
      },
    ];
  const columns = [...dimensions, ...metrics].map(({ name, expression }) => `${expression} AS ${name}`);
  const places = dimensions.map((_, i) => String(i + 1)).join(', ');
  const groups = dimensions.length === 0 ? '' : ` GROUP BY ${places} ORDER BY ${places}`;
  const list = (figures: readonly Figure[]): string => figures.map(({ comment }) => comment).join(' and ');
  const by = dimensions.length === 0 ? '' : ` by ${list(dimensions)}`;
  return [
    { type: 'text', text: `This is our interpretation of your question: ${list(metrics)}${by}.` },
    { type: 'sql', statement: `SELECT ${columns.join(', ')} FROM ${view.from}${groups}` },
  ];
}
