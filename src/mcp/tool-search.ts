/** Finds tools by the words a model would use. Pure; plain word overlap, no index to keep. */
import type { Tool } from '../catalog/types.ts';

/** How much a word counts by where it stands. */
const WEIGHTS = { name: 5, title: 4, description: 2, parameter: 1 } as const;

/** Words that say nothing about a tool. */
const STOP_WORDS = new Set('a an and by for from i in is it me my of on or that the this to with'.split(' '));

/**
 * The tools that share words with a query, best first; equal ones stay in catalog order.
 *
 * Each word of the query counts once, at the best place it stands; `lists` finds `list`.
 */
export function rankTools(tools: readonly Tool[], query: string): Tool[] {
  const asked = [...wordsOf(query)];
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, asked) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ tool }) => tool);
}

function scoreOf(tool: Tool, asked: readonly string[]): number {
  const places = [
    { words: wordsOf(tool.name), weight: WEIGHTS.name },
    { words: wordsOf(tool.title), weight: WEIGHTS.title },
    { words: wordsOf(tool.description), weight: WEIGHTS.description },
    { words: parameterWords(tool), weight: WEIGHTS.parameter },
  ];
  return asked.reduce((sum, word) => sum + (places.find(({ words }) => words.has(word))?.weight ?? 0), 0);
}

function parameterWords(tool: Tool): Set<string> {
  return wordsOf(
    Object.entries(tool.parameters)
      .map(([name, { description }]) => `${name} ${description}`)
      .join(' '),
  );
}

function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !STOP_WORDS.has(word)).map(stem));
}

/** Enough of English to match a noun's or verb's `s`: entries/entry, searches/search, tasks/task. */
function stem(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ch|sh|x|ss)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word;
}
