/** The page of an authorization request that cannot be answered to its client: unknown client, foreign redirect URI, no cookie. */
import type { ServerResponse } from 'node:http';
import { messagePage } from './message-pages.ts';
import { pageHeaders } from './page-response.ts';

/** Sentences for the codes of the library that reach people; everything else is the client's fault. */
const WORDS: Readonly<Record<string, { what: string; next: string }>> = {
  invalid_client: {
    what: 'The app that sent you here is not known to this Gatehouse, or what it says about itself cannot be read.',
    next: 'Go back to the app and connect it again: it then registers anew.',
  },
  invalid_redirect_uri: {
    what: 'The app that sent you here wants you to be sent back to an address that it has not registered. Nothing was allowed.',
    next: 'Do not go on unless you know the app. If you do, tell whoever makes it.',
  },
  server_error: {
    what: 'Something went wrong here. Nothing was allowed.',
    next: 'Go back to the app and try again in a moment.',
  },
};

const OTHERWISE = {
  what: 'What the app that sent you here asked for is incomplete, or too old, or was begun in another browser. Nothing was allowed.',
  next: 'Go back to the app and start again, in this browser and with cookies allowed.',
};

/** @returns HTML; the headers are set, the status is the library's */
export async function consentProblemPage(res: ServerResponse, { error }: { error: string }): Promise<string> {
  for (const [name, value] of Object.entries(pageHeaders())) res.setHeader(name, value);
  const words = WORDS[error] ?? OTHERWISE;
  const page = await messagePage({ title: 'This app cannot be connected', ...words });
  return page.toString();
}
