/** What is the same for every type whose credential is typed in and sent as it is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  fieldsOf,
  fillIn,
  promptedLink,
  refusal,
  startExampleServer,
  type ExampleServer,
} from '../../support/example-server.ts';
import { startStandIn, type StandIn, type StandInRequest } from '../../support/stand-in.ts';

export interface StoredCredentialExample {
  type: string;
  /** Ends the title of the tests. */
  title?: string;
  connector: string;
  tool: string;
  input: Record<string, unknown>;
  /** Path that the tool calls at the stand-in. */
  path: string;
  /** What a person enters, by field, in the order of the form. */
  entered: Record<string, string>;
  /** What of the request carries the credential. */
  sent: (request: StandInRequest) => unknown;
  expected: unknown;
}

/** Connects an account of the example connector by its page, calls a tool, and looks at what arrives. */
export function describeStoredCredential(example: StoredCredentialExample): void {
  const { type, title = '', connector, tool, input, path, entered } = example;

  describe(`stored credential of type ${type}${title}`, () => {
    let provider: StandIn;
    let server: ExampleServer;
    let isRefusing = false;
    beforeAll(async () => {
      provider = await startStandIn(() =>
        isRefusing ? { status: 401, json: { error: { message: 'no' } } } : { json: { done: true } },
      );
      server = await startExampleServer({
        connections: [{ connector, overrides: { base_url: provider.origin } }],
      });
    });
    afterAll(async () => {
      await server.close();
      await provider.close();
    });
    const call = async (user: string) => server.call(tool, input, user);
    const connect = async (user: string) =>
      server.create(connector, user, { static_auth: { details: entered } });

    it('asks for the credential in the prompt of the first call, and sends it in its place', async () => {
      const link = await promptedLink(call('ada'));
      const browser = server.browser();
      expect(fieldsOf(await browser.get(link))).toEqual(Object.keys(entered));
      expect((await fillIn(browser, link, entered)).status).toBe(303);
      expect(await call('ada')).toEqual({ done: true });
      expect(provider.at(path).map(example.sent)).toEqual([example.expected]);
    });

    it('makes an account ACTIVE at once when the credential is given over the API', async () => {
      expect(await connect('bob')).toMatchObject({ status: 'ACTIVE', authorization_type: type });
      expect(await call('bob')).toEqual({ done: true });
    });

    it('shows the credential by /auth alone', async () => {
      await connect('cy');
      expect((await server.auth(connector, 'cy')).authorization_details).toEqual({
        static_auth: { details: entered },
      });
      expect((await server.details(connector, 'cy')).authorization_details).toEqual({
        static_auth: { details: {} },
      });
    });

    it('ends the account when the credential is refused twice, with a link that asks for another', async () => {
      await connect('dan');
      isRefusing = true;
      expect((await refusal(call('dan'))).code).toBe('TOOL_ERROR');
      const link = await promptedLink(call('dan'));
      isRefusing = false;
      expect((await server.details(connector, 'dan')).status).toBe('EXPIRED');
      expect(fieldsOf(await server.browser().get(link))).toEqual(Object.keys(entered));
    });

    it('offers nothing that could be renewed', async () => {
      const { id } = await connect('eve');
      const { accountRefresh } = server.services;
      const { details } = await refusal(accountRefresh.refresh(server.operator, id));
      expect(details).toMatchObject({
        field_violations: [{ field: 'id', constraint: 'authorization_type' }],
      });
    });
  });
}
