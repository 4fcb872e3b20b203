/** Looks at servers in public lists, and compares their answers with the lists. Stores nothing. */
import type { Connector } from '../../catalog/model/types.ts';
import type { JsonObject } from '../../core/json.ts';
import { listedOn, type ListedServer } from './listed-servers.ts';
import { definitionOf } from './new-connector.ts';
import { lookAt, type Look, type LookDeps } from './server-look.ts';

/** A listed server, with its answer now. */
export interface ListedCheck {
  name: string;
  url: string;
  /** Date of the newest list. */
  listed_on: string;
  outcome: 'as_listed' | 'differs' | 'failed';
  /** How people bring credentials, as the server says; null if it failed. */
  found: string | null;
  /** A difference or a failure; null if there is none. */
  message: string | null;
}

interface CheckDeps extends LookDeps {
  connectorOf: (definition: JsonObject) => Promise<Connector>;
}

/** Servers that are looked at at the same time. */
const AT_ONCE = 8;

/**
 * @param told called with each result when it is done
 * @returns all results, in order
 */
export async function checkListed(
  deps: CheckDeps,
  servers: readonly ListedServer[],
  told: (check: ListedCheck) => void = () => {},
): Promise<ListedCheck[]> {
  const checks: ListedCheck[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < servers.length; i = next++) {
      const server = servers[i];
      if (server === undefined) return;
      const check = await checked(deps, server);
      checks[i] = check;
      told(check);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return checks;
}

async function checked(deps: CheckDeps, server: ListedServer): Promise<ListedCheck> {
  const { name, url, title } = server;
  const connector = await deps.connectorOf(definitionOf({ name, url, title }, [{ type: 'MCP_OAUTH' }]));
  const look = await lookAt(deps, { connector, url: new URL(url), isChosen: false });
  const base = { name, url, listed_on: listedOn(server) };
  const { problem } = look.answer;
  if (problem !== undefined) return { ...base, outcome: 'failed', found: null, message: problem };
  const difference = differenceTo(server, look);
  return {
    ...base,
    outcome: difference === null ? 'as_listed' : 'differs',
    found: waysOf(look).join(', '),
    message: difference,
  };
}

/** The ways to bring credentials that a server shows: a described consent, tools for everybody, otherwise a key. */
function waysOf({ discovered, answer }: Look): string[] {
  const ways = [...(discovered === undefined ? [] : ['oauth']), ...(answer.isOpen ? ['none'] : [])];
  return ways.length > 0 ? ways : ['key'];
}

function differenceTo({ authorization, registration }: ListedServer, look: Look): string | null {
  const found = waysOf(look);
  if (!found.some((way) => authorization.some((listed) => listed === way)))
    return `It is listed with ${authorization.join(' or ')}, and shows ${found.join(' and ')}.`;
  const { registrationUrl } = look.discovered?.authorization ?? {};
  if (look.discovered === undefined) return null;
  if (registration === 'dynamic' && registrationUrl === undefined)
    return 'It is listed with dynamic registration, and has none.';
  return registration === 'static' && registrationUrl !== undefined
    ? 'It is listed without dynamic registration, and has one.'
    : null;
}
