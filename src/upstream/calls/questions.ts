/**
 * Questions that a server asks instead of giving an answer: to a person, a model or the client. None of them is
 * passed on. A page is named by its host; its whole address is shown only if the operator lists the host. Pure.
 */
import { isObject, memberOf } from '../../core/json.ts';

/** One question. */
interface Question {
  method: string;
  /** The page that a person is asked to open. */
  page?: URL;
}

/** The server asks questions before it answers. */
export class QuestionFailure extends Error {
  override readonly name = 'QuestionFailure';
  readonly questions: readonly Question[];

  /**
   * @param asked the questions as the server sent them: `inputRequests` (MCP 2026-07-28) or `elicitations` of error
   *   -32042 (before it)
   */
  constructor(asked: unknown) {
    super('The server asks a question.');
    const all: readonly unknown[] = Array.isArray(asked)
      ? asked
      : isObject(asked)
        ? Object.values(asked)
        : [];
    this.questions = all.map(questionOf);
  }
}

/** Longest address that is shown, in characters. */
const MAX_ADDRESS = 500;

const ELICITATION = 'elicitation/create';

/** What the server asks for, by the method of the question. */
const ASKED: Readonly<Record<string, string>> = {
  [ELICITATION]: 'an answer of a person',
  'sampling/createMessage': 'an answer of a model',
  'roots/list': 'folders of its client',
};

function questionOf(asked: unknown): Question {
  const method = memberOf(asked, 'method');
  const params = memberOf(asked, 'params') ?? asked;
  const address = memberOf(params, 'url');
  const page = typeof address === 'string' && address.length <= MAX_ADDRESS ? URL.parse(address) : null;
  return {
    method: typeof method === 'string' ? method : ELICITATION,
    ...(page?.protocol === 'https:' && page.username === '' && { page }),
  };
}

/**
 * The message about questions, in our words.
 *
 * @param title of the server
 * @param hosts of pages that the operator lists
 * @returns also the page, if its address may be shown
 */
export function questionWords(
  title: string,
  { questions }: QuestionFailure,
  hosts: readonly string[],
): { sentence: string; page?: URL } {
  const page = questions.find((question) => question.page !== undefined)?.page;
  if (page === undefined) {
    const asked = ASKED[questions[0]?.method ?? ''] ?? 'something';
    return {
      sentence: `${title} asks for ${asked} before it goes on. Questions of other servers are not passed on. Give what it needs in the input, or do this in ${title} itself.`,
    };
  }
  return hosts.includes(page.hostname)
    ? {
        sentence: `${title} asks the user to open a page at ${page.host}, and to call again after that.`,
        page,
      }
    : {
        sentence: `${title} asks for a page at ${page.host} to be opened. Its operator has not listed this host (elicitation_hosts), so the address is not passed on.`,
      };
}
