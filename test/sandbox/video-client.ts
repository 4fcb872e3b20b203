/** A small client of the sandbox's YouTube. */
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { standInClient } from './stand-in-client.ts';

const GOOGLE = 'https://www.googleapis.com/auth/';

/** What the connector asks for when it asks for everything. */
export const ALL_SCOPES = scopes('youtube.readonly', 'youtube', 'youtube.force-ssl', 'yt-analytics.readonly');

/** As the consent page takes them. @param names without the prefix they share */
export function scopes(...names: string[]): string {
  return names.map((name) => GOOGLE + name).join(' ');
}

/** A list of the Data API; which members items have depends on the parts. */
export interface Listing {
  items?: {
    id: string;
    snippet?: { title: string };
    statistics?: { likeCount: string };
    contentDetails?: { videoId?: string };
    [part: string]: unknown;
  }[];
  nextPageToken?: string;
  prevPageToken?: string;
  pageInfo?: { totalResults: number; resultsPerPage: number };
}

/** Titles of what a list holds. */
export function titles({ items = [] }: Listing): (string | undefined)[] {
  return items.map(({ snippet }) => snippet?.title);
}

/** Ids of what a list holds. */
export function ids({ items = [] }: Listing): string[] {
  return items.map(({ id }) => id);
}

/** Names of the tools that change nothing; the others are in a test file of their own. */
export const READING =
  /_(list|query|search|get_rating|download|overview|top_videos|audience)$|_list_|_analytics_video$/;

/** An answer of the stand-in. */
export interface Answer {
  status: number;
  body: Listing & {
    error?: { code: number; status?: string; errors: { reason: string }[] };
    [member: string]: unknown;
  };
}

/** Calls as a person who allowed certain things. @param member 1 has no channel */
export async function videoClient(sandbox: Sandbox, scope = ALL_SCOPES, member = 0) {
  const { access_token } = await standInClient(sandbox, 'video').connect({ scope }, member);
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(sandbox.url + path, {
      method,
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Answer['body'] };
  };
}
